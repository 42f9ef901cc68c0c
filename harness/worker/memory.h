/* Bytes of an instance, and a pool of resident pages for pymalloc's arenas. */
#ifndef GCTAX_MEMORY_H
#define GCTAX_MEMORY_H

#include "target.h"

/* Means over instances; NaN: not known. */
struct memory_bytes {
    double own_requested;   /* the block that the instance lies in */
    double owned_requested; /* other blocks that were born with it and still live */
    double own_usable, owned_usable;
    double sizeof_bytes; /* sys.getsizeof() of one */
};

/* Makes instances one by one under a hook on the allocator domains OBJ and MEM (not RAW: what
 * pymalloc passes on would count twice). The hook passes every call through unchanged. Instances
 * are made and kept before the first counted one, until free lists are used up and the type is
 * warm. `allocator` is the active one: from it follows what a block's usable size is. Collections
 * have to be off. 0, or -1 with an exception. */
int memory_measure(const struct target *target, const char *allocator, struct memory_bytes *bytes);

/* Growth of the resident set for each instance, over as many as ask for 1 MiB by `requested` bytes
 * each, all of it fresh pages; NaN where 9 MiB of them held no such MiB: there is memory that was
 * resident before. 0, or -1 with an exception. */
int memory_resident(const struct target *target, double requested, double *resident);

/* Anonymous memory, zeroed and resident; NULL where there is none. Freed with munmap(). */
void *memory_map(size_t bytes);

/* Lets pymalloc take its arenas from a pool of `bytes` whose pages are resident, and malloc() its
 * larger blocks from a heap grown by `large_bytes`, for the rest of the process. What does not fit
 * is mapped as before. 0, or -1 where there is no memory. */
int memory_prefault(size_t bytes, size_t large_bytes);

#endif
