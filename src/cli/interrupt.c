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
    static const char text[] = "\nlinerad: stopping; press Ctrl-C again to quit at once\n";
    happened = 1;
    lr_context_stop(running);
    if (on_terminal && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        on_terminal = 0;
}

static bool is_ignored(int signal_number)
{
    struct sigaction now;
    return sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void interrupt_catch(lr_context *ctx)
{
    running = ctx;
    on_terminal = isatty(STDERR_FILENO);
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!is_ignored(SIGHUP)) /* by nohup */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* whoever read our messages has gone, which is no reason to lose the result */
}

void interrupt_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (!is_ignored(SIGHUP))
        signal(SIGHUP, SIG_DFL);
    running = NULL;
}

bool interrupt_happened(void)
{
    return happened != 0;
}
