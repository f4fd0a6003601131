#define _XOPEN_SOURCE 700
#include "interrupt.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

/* A signal handler takes no user argument: hence file-scope variables. */
static lr_context *running;
static volatile sig_atomic_t happened;
static volatile sig_atomic_t on_terminal;

static void stop(int signal_number)
{
    (void)signal_number;
    static const char text[] = "\nlinerad: stopping; press Ctrl-C again to quit at once\n";
    const int before = errno;
    happened = 1;
    lr_context_stop(running);
    if (on_terminal && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        on_terminal = 0;
    errno = before;
}

/* When no run is under way. */
static void note(int signal_number)
{
    (void)signal_number;
    happened = 1;
}

static void save(int signal_number)
{
    (void)signal_number;
    lr_context_save(running);
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
    sigaction(SIGALRM, &action, NULL); /* the end of --time-limit is near */
    action.sa_handler = save;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* whoever read our messages has gone, which is no reason to lose the result */
}

void interrupt_prepare(void)
{
    signal(SIGUSR1, SIG_IGN);
}

void interrupt_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGALRM, note);
    interrupt_prepare();
    if (!is_ignored(SIGHUP))
        signal(SIGHUP, SIG_DFL);
    running = NULL;
}

void interrupt_after(double seconds)
{
    const struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(1e6 * (seconds - floor(seconds)))}};
    signal(SIGALRM, note);
    setitimer(ITIMER_REAL, &timer, NULL);
}

bool interrupt_happened(void)
{
    return happened != 0;
}
