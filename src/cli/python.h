/* Commands that the Python package carries out. */
#ifndef LINERAD_CLI_PYTHON_H
#define LINERAD_CLI_PYTHON_H

/* Starts Python with this command, in the place of this process. Returns only on failure, with an exit code, having
 * told how to install `package`, such as ".[plot]". */
int python_hand_over(int argc, char **argv, const char *package);

#endif
