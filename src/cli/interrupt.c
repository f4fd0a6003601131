#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* A signal handler takes no user argument, so this is the only place with file-scope variables. */
static lr_context *running;
static volatile sig_atomic_t happened;
static volatile sig_atomic_t on_terminal;

static void stop(int signal_number)
{
    (void)signal_number;
    static const char text[] = "\nlinerad: finishing the packets in flight; press Ctrl-C again to quit at once\n";
    happened = 1;
    lr_context_stop(running);
    if (on_terminal && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        on_terminal = 0;
}

void interrupt_catch(lr_context *ctx)
{
    running = ctx;
    on_terminal = isatty(STDERR_FILENO);
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void interrupt_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    running = NULL;
}

bool interrupt_happened(void)
{
    return happened != 0;
}
