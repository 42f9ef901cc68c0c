/* How far a run is, on standard error: one live line on a terminal, sparse lines elsewhere. */
#ifndef GCTAX_PROGRESS_H
#define GCTAX_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool live;
    size_t total, done, failed;
    size_t measured; /* of done: those that took a process, from which the time left is told */
    size_t to_measure;
    double began, next_line; /* process_now() */
};

void progress_begin(struct progress *progress, size_t total, size_t to_measure);
/* `what` names the cell that is about to run. */
void progress_cell(struct progress *progress, const char *what);
/* A cell is done. `measured`: it took a process. */
void progress_done(struct progress *progress, bool measured, bool failed);
/* A line of its own, above the live line. */
void progress_line(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes the live line away. */
void progress_end(struct progress *progress);

#endif
