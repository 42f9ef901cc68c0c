#include "pycompat.h"

#include "probe_inner.h"
#include "probe_patience.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BODY_FINISHED = 96, BODY_FAILED = 97, LOOK_NS = 200000 };

static int64_t how_it_ended(int status)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status);
    switch (WEXITSTATUS(status)) {
    case BODY_FINISHED:
        return 0;
    case BODY_FAILED:
        return PROBE_INNER_FAILED;
    default:
        return PROBE_INNER_EXITED;
    }
}

int probe_inner_run(int (*body)(void *context), void *context, double seconds, int64_t *end)
{
    PyOS_BeforeFork();
    pid_t child = fork();
    if (child == 0) {
        PyOS_AfterFork_Child();
        alarm((unsigned)(PROBE_PATIENCE_MOST * seconds) +
              2); /* should the probe itself be killed */
        _exit(body(context) < 0 ? BODY_FAILED : BODY_FINISHED);
    }
    int fork_error = errno;
    PyOS_AfterFork_Parent();
    if (child < 0) {
        errno = fork_error;
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    struct probe_patience patience;
    int status;
    pid_t reaped;
    probe_patience_begin(&patience, child, seconds);
    while ((reaped = waitpid(child, &status, WNOHANG)) == 0 && !probe_patience_is_over(&patience))
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    if (reaped > 0) {
        *end = how_it_ended(status);
        return 0;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    *end = PROBE_INNER_TIMED_OUT;
    return 0;
}
