#include "pycompat.h"

#include "probe_child.h"
#include "probe_patience.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A body's -1, told apart from an exit() that some code of the subject calls. */
enum { BODY_FAILED = 97, BODY_FINISHED = 96 };

/* How long a child may grow unseen between two looks at its size. */
enum { LOOK_MS = 20 };

const char *probe_child_status_text(enum probe_child_status status)
{
#define TEXT(NAME, word) [PROBE_CHILD_##NAME] = word,
    static const char *const texts[] = {PROBE_CHILD_STATUS(TEXT)};
#undef TEXT
    return texts[status];
}

/* Resident bytes of a process, 0 where they cannot be known. */
static int64_t resident_bytes(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *file = fopen(path, "re");
    long total, resident = 0;
    if (file == NULL)
        return 0;
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    fclose(file);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

/* Blocks of many pages that come and go are not given back to the system, and faulted in again,
 * each time, in each thread's arena: that would be most of the time of a type with large buffers.
 * Only glibc does so. And what the heap grows into is backed by huge pages where the system has
 * them: a fault for each 4 KiB of a buffer of megabytes takes longer than all else. A sanitizer has
 * its own heap, and would mark each byte that is reserved. */
static void keep_memory(void)
{
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
    enum { MMAP_FROM = 32 << 20, TRIM_FROM = 1 << 30, MMAP_MOST = 65536 /* glibc's own */ };
    const size_t reserved = (size_t)512 << 20, huge_page = (size_t)2 << 20;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, TRIM_FROM);
    mallopt(M_MMAP_MAX, 0);
    char *heap = malloc(reserved); /* of addresses: no page is touched */
    if (heap != NULL) {
        char *first = heap + (huge_page - (uintptr_t)heap % huge_page);
        madvise(first, reserved - huge_page, MADV_HUGEPAGE);
        free(heap);
    }
    mallopt(M_MMAP_MAX, MMAP_MOST);
    mallopt(M_MMAP_THRESHOLD, MMAP_FROM);
#endif
}

/* The child's side: never returns. */
static void be_child(int output, int (*body)(void *context), void *context, double seconds)
{
    PyOS_AfterFork_Child();
    /* Should the parent be killed, the child does not outlive its limit for long. */
    signal(SIGALRM, SIG_DFL);
    alarm((unsigned)(PROBE_PATIENCE_MOST * seconds) + 2);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    keep_memory();
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0)
        _exit(127);
    _exit(body(context) < 0 ? BODY_FAILED : BODY_FINISHED);
}

/* Reads what there is. 1: more may come; 0: the child's end is closed. What does not fit is read
 * and dropped, so that the child never waits for us. */
static int read_output(int fd, struct probe_child_end *end, size_t *length)
{
    char rest[4096];
    for (;;) {
        size_t room = sizeof end->output - 1 - *length;
        char *place = room > 0 ? end->output + *length : rest;
        ssize_t got = read(fd, place, room > 0 ? room : sizeof rest);
        if (got == 0)
            return 0;
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (room > 0)
            *length += (size_t)got;
    }
}

/* Follows the child to its end and kills it at a limit. *status becomes what waitpid() says. -1
 * with an exception; the child may be alive then. */
static int follow(pid_t child, int fd, const struct probe_limits *limits,
                  struct probe_child_end *end, int *status)
{
    struct probe_patience patience;
    probe_patience_begin(&patience, child, limits->seconds);
    size_t length = 0;
    int open_end = 1;
    pid_t reaped = 0;
    end->status = PROBE_CHILD_FINISHED;
    while (reaped == 0) {
        if (open_end) {
            struct pollfd ready = {.fd = fd, .events = POLLIN};
            poll(&ready, 1, LOOK_MS);
            open_end = read_output(fd, end, &length);
        } else {
            /* Its end is closed: it is about to leave, or some code of its own closed it. */
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        }
        if (PyErr_CheckSignals() < 0)
            return -1;
        reaped = waitpid(child, status, WNOHANG);
        if (reaped != 0 || end->status != PROBE_CHILD_FINISHED)
            continue;
        if (probe_patience_is_over(&patience))
            end->status = PROBE_CHILD_TIMED_OUT;
        else if (limits->memory_bytes > 0 && resident_bytes(child) > limits->memory_bytes)
            end->status = PROBE_CHILD_OUT_OF_MEMORY;
        if (end->status != PROBE_CHILD_FINISHED)
            kill(child, SIGKILL);
    }
    if (reaped < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    if (open_end)
        read_output(fd, end, &length);
    return 0;
}

static void classify(int status, struct probe_child_end *end)
{
    if (end->status != PROBE_CHILD_FINISHED)
        return;
    if (WIFSIGNALED(status)) {
        end->status = PROBE_CHILD_SIGNALLED;
        end->signal = WTERMSIG(status);
    } else if (WEXITSTATUS(status) == BODY_FAILED) {
        end->status = PROBE_CHILD_FAILED;
    } else if (WEXITSTATUS(status) != BODY_FINISHED) {
        end->status = PROBE_CHILD_EXITED;
        end->exit_code = WEXITSTATUS(status);
    }
}

int probe_child_run(int (*body)(void *context), void *context, const struct probe_limits *limits,
                    struct probe_child_end *end)
{
    memset(end, 0, sizeof *end);
    int ends[2];
    if (pipe(ends) < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    PyOS_BeforeFork();
    pid_t child = fork();
    if (child == 0)
        be_child(ends[1], body, context, limits->seconds);
    int fork_error = errno;
    PyOS_AfterFork_Parent();
    close(ends[1]);
    int failed = -1;
    int status;
    if (child < 0) {
        errno = fork_error;
        PyErr_SetFromErrno(PyExc_OSError);
    } else if ((failed = follow(child, ends[0], limits, end, &status)) == 0) {
        classify(status, end);
    } else {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    close(ends[0]);
    return failed;
}
