/* A child of a probe's child: for what may end it and is only one of several things to be looked
 * at. Include pycompat.h first. */
#ifndef GCTAX_PROBE_INNER_H
#define GCTAX_PROBE_INNER_H

#include <stdint.h>

/* How it ended: 0 well, a signal's number, or one of these. */
enum { PROBE_INNER_FAILED = -1, PROBE_INNER_EXITED = -2, PROBE_INNER_TIMED_OUT = -3 };

/* Runs body(context) in a fork of this process that is killed after `seconds`. Its output is the
 * probe's; it leaves by _exit(), and -1 of the body, whose exception is lost, is
 * PROBE_INNER_FAILED. How it ended in *end. 0, or -1 with an exception when none could be
 * started. */
int probe_inner_run(int (*body)(void *context), void *context, double seconds, int64_t *end);

#endif
