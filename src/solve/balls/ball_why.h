/* Why packets of a run do not jump, for those who asked for it. */
#ifndef LR_SOLVE_BALLS_BALL_WHY_H
#define LR_SOLVE_BALLS_BALL_WHY_H

#include "model/model.h"

/* What in the physics or output of a model rules out jumps; NULL if nothing does, or they were not asked for. */
const char *ball_why_not(const lr_model *model);

/* Why no cell is deep enough. */
const char *ball_why_shallow(const lr_model *model);

#endif
