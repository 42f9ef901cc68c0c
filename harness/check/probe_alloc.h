/* Counts what goes through the allocators of CPython. Include pycompat.h first. */
#ifndef GCTAX_PROBE_ALLOC_H
#define GCTAX_PROBE_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

struct probe_alloc {
    int64_t calls; /* malloc, calloc and realloc, of all three domains */
    int64_t live;  /* blocks of the object and memory domains, since it was opened */
    /* An object whose memory is watched, or NULL, and whether it was given back. The pointer is
     * compared only. */
    const void *watched;
    bool watched_freed;
    struct probe_alloc_domain {
        PyMemAllocatorEx old;
        struct probe_alloc *owner;
        bool counts_blocks;
    } domain[3];
};

/* From now on `alloc` counts, until the process ends: for a child, where nothing needs to be put
 * back. It must not move. */
void probe_alloc_open(struct probe_alloc *alloc);

#endif
