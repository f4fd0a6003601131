/* What a model can choose between. The same words serve the model, the jobs of a backend and the kernels. */
#ifndef LR_KERNEL_KINDS_H
#define LR_KERNEL_KINDS_H

enum mesh_kind { MESH_CARTESIAN, MESH_SHELLS, MESH_AMR };

enum face_rule { FACE_OPEN, FACE_PERIODIC, FACE_REFLECTING };

/* Faces of a mesh in the order x-, x+, y-, y+, z-, z+. */
enum { N_FACE = 6 };

enum spectrum_kind { SPECTRUM_MONOCHROMATIC, SPECTRUM_GAUSSIAN, SPECTRUM_LOCAL, SPECTRUM_BAND, SPECTRUM_TABLE };

enum angular_kind { ANGULAR_ISOTROPIC, ANGULAR_LAMBERTIAN, ANGULAR_BEAM };

/* How packets of a source are born. */
enum emission_kind { EMIT_POINT, EMIT_PLANE, EMIT_UNIFORM, EMIT_CELLS, EMIT_EXTERNAL, EMIT_LIST };

enum redistribution {
    REDISTRIBUTION_EXACT,
    REDISTRIBUTION_TABLE_GLOBAL,
    REDISTRIBUTION_TABLE_CONSTANT,
    REDISTRIBUTION_APPROXIMATE_VOIGT,
    REDISTRIBUTION_COMPLETE,
    REDISTRIBUTION_GROUP /* exact, of several lines: what EXACT becomes in a job with a group of lines */
};

/* How the dipole part of a scattering follows from the lines of a group. */
enum dipole_kind { DIPOLE_OWN, DIPOLE_UPPER_3_2, DIPOLE_UPPER_1_2 };

#endif
