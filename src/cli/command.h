/* Shared by the commands: exit codes, and one function per command. A command gets its own name as argv[0]. */
#ifndef LINERAD_CLI_COMMAND_H
#define LINERAD_CLI_COMMAND_H

enum { EXIT_GOOD = 0, EXIT_ERROR = 2, EXIT_STOPPED = 130 };

int command_run(int argc, char **argv);
int command_image(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_view(int argc, char **argv);
int command_check(int argc, char **argv);
int command_keys(int argc, char **argv);
int command_molecule(int argc, char **argv);
int command_radex(int argc, char **argv);
int command_cloud(int argc, char **argv);
int command_info(int argc, char **argv);

/* Prints `text` on stdout; EXIT_ERROR if that fails, as on a full disk. */
int command_print(const char *text);

#endif
