/* Commands that the Python package carries out. A command in the build folder of a checkout uses the package of that
 * checkout with the library next to it, so that only Python modules need to be installed. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "python.h"

/* Given to `python -c`. The current folder is removed from the path, since a folder `linerad` in it is not the
 * package. */
static const char script[] =
    "import sys\n"
    "sys.path[:] = [folder for folder in sys.path if folder]\n"
    "extra = '.[plot]' if sys.argv[1] == 'plot' else '.'\n"
    "try:\n"
    "    if sys.argv[1] == 'plot':\n"
    "        import matplotlib\n"
    "    from linerad.__main__ import main\n"
    "except ImportError as failure:\n"
    "    print(f\"linerad: error: {sys.executable} cannot {sys.argv[1]}: {failure}; install the package with \"\n"
    "          f\"\\\"pip install '{extra}'\\\" in the checkout, or set LINERAD_PYTHON to a Python that has it\",\n"
    "          file=sys.stderr)\n"
    "    sys.exit(2)\n"
    "sys.exit(main())\n";

enum { MAX_PATH = 4096 };

/* The folder of this program, without a trailing slash; "" if unknown. */
static void own_folder(char folder[MAX_PATH])
{
    const ssize_t n = readlink("/proc/self/exe", folder, MAX_PATH - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

/* folder/rest, if it exists; otherwise false. */
static bool find(const char *folder, const char *rest, char path[MAX_PATH])
{
    const int n = snprintf(path, MAX_PATH, "%s/%s", folder, rest);
    return *folder && n > 0 && n < MAX_PATH && access(path, R_OK) == 0;
}

static bool has_line(const char *path, const char *start)
{
    FILE *file = fopen(path, "r");
    char text[256];
    bool found = false;
    while (file && !found && fgets(text, sizeof text, file))
        found = strncmp(text, start, strlen(start)) == 0;
    if (file)
        fclose(file);
    return found;
}

/* Whether the folder above is a source tree of linerad that only the owner of this program could have put there: code
 * from it is run. */
static bool in_checkout(const char *folder)
{
    char path[MAX_PATH];
    struct stat program, above;
    return find(folder, "../CMakeLists.txt", path) && has_line(path, "project(linerad ") &&
           find(folder, "../include/linerad.h", path) && find(folder, "../python/linerad/__init__.py", path) &&
           find(folder, "..", path) && stat(path, &above) == 0 && stat("/proc/self/exe", &program) == 0 &&
           above.st_uid == program.st_uid && !(above.st_mode & S_IWOTH);
}

static const char *choose_python(const char *folder, char path[MAX_PATH])
{
    const char *named = getenv("LINERAD_PYTHON"), *active = getenv("VIRTUAL_ENV");
    if (named && *named)
        return named;
    if (active && find(active, "bin/python", path))
        return path;
    return in_checkout(folder) && find(folder, "../.venv/bin/python", path) ? path : "python3";
}

/* In a checkout: its package comes first, and uses the library of this build. */
static bool use_checkout(const char *folder)
{
    char path[MAX_PATH], list[2 * MAX_PATH];
    if (!in_checkout(folder) || !find(folder, "liblinerad.so", path))
        return true;
    if (setenv("LINERAD_LIBRARY", path, 0) != 0)
        return false;
    const char *others = getenv("PYTHONPATH");
    const int n =
        snprintf(list, sizeof list, "%s/../python%s%s", folder, others && *others ? ":" : "", others ? others : "");
    return n < (int)sizeof list && setenv("PYTHONPATH", list, 1) == 0;
}

int python_hand_over(int argc, char **argv, const char *package)
{
    char folder[MAX_PATH], path[MAX_PATH];
    own_folder(folder);
    const char *python = choose_python(folder, path);
    /* python -c SCRIPT COMMAND ... */
    char **words = calloc((size_t)argc + 4, sizeof *words);
    if (!words || !use_checkout(folder)) {
        free(words);
        return message_error("out of memory");
    }
    words[0] = (char *)python;
    words[1] = "-c";
    words[2] = (char *)script;
    memcpy(words + 3, argv, (size_t)argc * sizeof *words);
    execvp(python, words);
    const int code = message_error("cannot start '%s': %s; 'linerad %s' needs Python 3 and the package: \"pip install "
                                   "'%s'\" in the checkout, or set LINERAD_PYTHON to a Python that has it",
                                   python, strerror(errno), argv[0], package);
    free(words);
    return code;
}
