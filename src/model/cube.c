#include "model/cube.h"

#include <stdlib.h>

void cube_free(struct cube *cube)
{
    free(cube->intensity);
    free(cube->error);
    free(cube->optical_depth);
    *cube = (struct cube){0};
}
