/* A worker's process and its group: start, watch, end. One at a time. All that depends on the
 * operating system stands behind this header (process_linux.c). */
#ifndef GCTAX_PROCESS_H
#define GCTAX_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
    pid_t pid; /* leader of its own process group */
    int out,
        err; /* our ends of its standard output and error: non-blocking, -1 once at their end */
};

struct process_start {
    const char *const *argv; /* argv[0] is the file, with a slash in it */
    char *const *environment;
    int pin_cpu; /* -1: none */
};

/* How a process ended. */
struct process_end {
    int signal;    /* that killed it, 0: none */
    int exit_code; /* where signal is 0 */
    double user_s, system_s;
};

/* What process_wait() saw, or-ed. */
enum process_event {
    PROCESS_OUT = 1,         /* there is something to read from out (or its end) */
    PROCESS_ERR = 2,         /* the same for err */
    PROCESS_EXIT = 4,        /* the group's leader has ended and waits for process_end() */
    PROCESS_INTERRUPTED = 8, /* process_interrupted() is not 0 */
};

/* Once, before all others: SIGINT, SIGTERM and SIGHUP are from now on seen by process_wait() and
 * process_interrupted() alone, and orphaned descendants become children of this process.
 * 0, or -1 with errno. */
int process_setup(void);

/* Starts it with /dev/null as standard input, default signal handling and no core dump; the kernel
 * kills it when this process dies. 0, or -1 with errno (of exec too). */
int process_start(struct process *process, const struct process_start *start);

/* Waits up to `timeout_ms`. Events, 0 at the time-out, or -1 with errno. */
int process_wait(struct process *process, int timeout_ms);

/* Resident bytes of all descendants of this process, that is of the group and of what left it. */
uint64_t process_resident(void);

/* Kills what is left of the group and of its orphans, reaps all of it, closes the pipes. Call it
 * exactly once for each process_start(). */
void process_end(struct process *process, struct process_end *end);

/* The signal that asks us to stop, or 0. Does not wait. */
int process_interrupted(void);

/* Real path of the running program, in text; NULL where it cannot be told. */
const char *process_executable(char *text, size_t size);

/* May this process run on the CPU? */
bool process_may_pin(int cpu);

/* Seconds of CLOCK_MONOTONIC. */
double process_now(void);

#endif
