#include "solve/balls/ball_why.h"

#include "model/field.h"
#include "solve/balls/ball_reach.h"
#include "solve/balls/ball_set.h"

const char *ball_why_not(const lr_model *model)
{
    const struct physics *physics = &model->physics;
    if (physics->acceleration == ACCELERATION_NONE || physics->acceleration == ACCELERATION_SKIP)
        return NULL;
    if (physics->redistribution != REDISTRIBUTION_EXACT)
        return "jumps need 'redistribution: exact'";
    if (model->group.n > 1)
        return "jumps are for a single line";
    if (physics->absorption != ABSORPTION_CONTINUOUS)
        return "jumps need 'absorption: continuous'";
    if (model->n_camera > 0 && physics->dipole)
        return "with cameras, jumps need isotropic scattering";
    for (int i = 0; i < model->n_camera; i++) /* it would see scatterings around it that jumps leave out */
        if (model->camera[i].kind == CAMERA_PERSPECTIVE && mesh_contains(&model->mesh, model->camera[i].position))
            return "there is an observer inside the mesh";
    return NULL;
}

/* The best of the reasons: those that the model can change come first. */
const char *ball_why_shallow(const lr_model *model)
{
    const struct mesh *mesh = &model->mesh;
    const int64_t n_cell = mesh_cell_count(mesh);
    if (field_measure(&model->medium.a, mesh).high < BALL_LEAST_DAMPING)
        return "jumps need a damping parameter a of 1e-5 or more";
    if (mesh->kind == MESH_SHELLS && !field_is_zero(&model->medium.velocity[0], n_cell))
        return "no shell is deep enough for balls over which the velocity of the flow hardly changes";
    if (ball_space_recoils(model, field_measure(&model->medium.b, mesh).low))
        return "no cell that is deep enough has b large enough for weak recoil (Lyman alpha: above 1.1 km/s)";
    return model->output.fields && n_cell > 1
               ? "no cell is deep enough ('output.fields: false' lets jumps span cells that are alike)"
               : "no cell is deep enough";
}
