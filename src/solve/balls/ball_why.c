#include "solve/balls/ball_why.h"

#include "model/field.h"

const char *ball_why_not(const lr_model *model)
{
    const struct physics *physics = &model->physics;
    if (physics->acceleration == ACCELERATION_NONE || physics->acceleration == ACCELERATION_SKIP)
        return NULL;
    if (physics->redistribution != REDISTRIBUTION_EXACT)
        return "jumps need 'redistribution: exact'";
    if (physics->recoil)
        return "jumps leave out recoil";
    if (physics->absorption != ABSORPTION_CONTINUOUS)
        return "jumps need 'absorption: continuous'";
    if (model->n_camera > 0 && physics->dipole)
        return "with cameras, jumps need isotropic scattering";
    for (int i = 0; i < model->n_camera; i++) /* it would see scatterings around it that jumps leave out */
        if (model->camera[i].kind == CAMERA_PERSPECTIVE && mesh_contains(&model->mesh, model->camera[i].position))
            return "there is an observer inside the mesh";
    return NULL;
}

const char *ball_why_shallow(const lr_model *model)
{
    if (model->mesh.kind == MESH_SHELLS && !field_is_zero(&model->medium.velocity[0], mesh_cell_count(&model->mesh)))
        return "the velocity changes inside shells that flow, and none at rest is deep enough";
    return model->output.fields && model->mesh.kind != MESH_AMR && mesh_cell_count(&model->mesh) > 1
               ? "no cell is deep enough ('output.fields: false' lets jumps span cells that are alike)"
               : "no cell is deep enough";
}
