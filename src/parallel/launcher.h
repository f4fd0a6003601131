/* What the program that started this process says in the environment: mpirun of Open MPI and MPICH, and srun. */
#ifndef LR_PARALLEL_LAUNCHER_H
#define LR_PARALLEL_LAUNCHER_H

struct launcher {
    int rank, size; /* 0 and 1 if it was started alone, or nothing is said */
    const char *name;
};

struct launcher launcher_look(void);

#endif
