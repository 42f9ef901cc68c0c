#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int signals = -1;       /* signalfd of SIGCHLD and the signals that ask us to stop */
static sigset_t original_mask; /* what children get back */
static int stop_signal;

double process_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int process_setup(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    /* Under nohup a closed terminal is no reason to stop. */
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
        sigdelset(&set, SIGHUP);
    /* A SIGCHLD that is ignored would have the kernel reap for us. */
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    /* A file-size limit is then an error of write(), as a full disk is. */
    signal(SIGXFSZ, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, &original_mask) || prctl(PR_SET_CHILD_SUBREAPER, 1))
        return -1;
    signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return signals < 0 ? -1 : 0;
}

/* Reads all signals that came. */
static void take_signals(void)
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD && !stop_signal)
            stop_signal = (int)info.ssi_signo;
}

int process_interrupted(void)
{
    if (signals >= 0)
        take_signals();
    return stop_signal;
}

/* The child between vfork and exec: it shares our memory, so it only makes system calls and writes
 * `*error`. */
static _Noreturn void become(const struct process_start *start, int out, int err, int null,
                             pid_t parent, volatile int *error)
{
    struct rlimit no_core = {0, 0};
    cpu_set_t cpus;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, &original_mask, NULL);
    CPU_ZERO(&cpus);
    if (start->pin_cpu >= 0)
        CPU_SET((unsigned)start->pin_cpu, &cpus);
    if (dup2(null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0 &&
        (start->pin_cpu < 0 || !sched_setaffinity(0, sizeof cpus, &cpus)))
        execve(start->argv[0], (char *const *)start->argv, start->environment);
    *error = errno;
    _exit(127);
}

int process_start(struct process *process, const struct process_start *start)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    volatile int error = 0;
    pid_t parent = getpid();
    if (null < 0 || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
        error = errno;
        goto fail;
    }
    /* The child's ends stay blocking: O_NONBLOCK belongs to the open file, and the two ends of a
     * pipe are two. */
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    /* vfork: no page tables to copy, and the error of exec comes back through shared memory. The
     * child writes nothing else of ours: `process` is for the parent alone to set. POSIX lets it
     * only _exit and exec; on Linux bare system calls are well, and become() makes no others. */
    pid_t child = vfork();
    if (child == 0)
        become(start, out[1], err[1], null, parent, &error); /* NOLINT(clang-analyzer-unix.Vfork) */
    process->pid = child;
    if (child < 0)
        error = errno;
    else if (error)
        waitpid(child, NULL, 0);
    if (error)
        goto fail;
    close(out[1]);
    close(err[1]);
    close(null);
    process->out = out[0];
    process->err = err[0];
    return 0;
fail:
    for (int i = 0; i < 2; i++) {
        if (out[i] >= 0)
            close(out[i]);
        if (err[i] >= 0)
            close(err[i]);
    }
    if (null >= 0)
        close(null);
    errno = error;
    return -1;
}

int process_wait(struct process *process, int timeout_ms)
{
    struct pollfd fds[] = {
        {.fd = process->out, .events = POLLIN},
        {.fd = process->err, .events = POLLIN},
        {.fd = signals, .events = POLLIN},
    };
    if (poll(fds, 3, timeout_ms) < 0 && errno != EINTR)
        return -1;
    int events = (fds[0].revents ? PROCESS_OUT : 0) | (fds[1].revents ? PROCESS_ERR : 0);
    if (fds[2].revents)
        take_signals();
    if (stop_signal)
        events |= PROCESS_INTERRUPTED;
    siginfo_t info = {0};
    if (!waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid)
        events |= PROCESS_EXIT;
    return events;
}

/* Reads a small file of /proc. Its length, or -1. */
static ssize_t slurp(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length;
}

#define CHILDREN_SIZE 4096
#define TREE_DEPTH 16

/* Calls visit(pid) for the children that a thread started or adopted. */
static void each_child(const char *pid, const char *thread, void (*visit)(pid_t, int), int depth)
{
    char path[128], children[CHILDREN_SIZE];
    snprintf(path, sizeof path, "/proc/%s/task/%s/children", pid, thread);
    if (slurp(path, children, sizeof children) <= 0)
        return;
    char *end;
    for (char *at = children; *at; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at)
            return;
        visit((pid_t)child, depth);
        end += strspn(end, " ");
    }
}

static void each_child_of(const char *pid, void (*visit)(pid_t, int), int depth)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/task", pid);
    DIR *threads = opendir(path);
    if (!threads)
        return;
    for (const struct dirent *entry; (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            each_child(pid, entry->d_name, visit, depth);
    closedir(threads);
}

static uint64_t resident_pages;

static void add_resident(pid_t pid, int depth)
{
    char path[64], name[16], text[128];
    unsigned long total, resident;
    snprintf(name, sizeof name, "%d", (int)pid);
    snprintf(path, sizeof path, "/proc/%s/statm", name);
    if (slurp(path, text, sizeof text) > 0 && sscanf(text, "%lu %lu", &total, &resident) == 2)
        resident_pages += resident;
    if (depth < TREE_DEPTH)
        each_child_of(name, add_resident, depth + 1);
}

uint64_t process_resident(void)
{
    resident_pages = 0;
    each_child_of("self", add_resident, 0);
    return resident_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void kill_child(pid_t pid, int depth)
{
    (void)depth;
    kill(pid, SIGKILL);
}

void process_end(struct process *process, struct process_end *end)
{
    struct rusage usage = {0};
    int status = 0;
    /* The leader is not reaped yet, so its number, and the group's, cannot have been reused. */
    kill(-process->pid, SIGKILL);
    while (wait4(process->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    /* What the leader left behind is ours now, whether it stayed in the group or not; killing one
     * may hand us its children, so until there are none. */
    while (waitpid(-1, NULL, WNOHANG) >= 0) {
        each_child_of("self", kill_child, 0);
        if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
            break;
    }
    if (process->out >= 0)
        close(process->out);
    if (process->err >= 0)
        close(process->err);
    process->out = process->err = -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end->user_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
    end->system_s = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
}

const char *process_executable(char *text, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", text, size);
    if (length < 0 || (size_t)length >= size)
        return NULL;
    text[length] = '\0';
    return text;
}

bool process_may_pin(int cpu)
{
    cpu_set_t cpus;
    return cpu < CPU_SETSIZE && !sched_getaffinity(0, sizeof cpus, &cpus) &&
           CPU_ISSET((unsigned)cpu, &cpus);
}
