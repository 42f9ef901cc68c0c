/* The memory that instances lie in, and what becomes of it. Include pycompat.h first. */
#ifndef GCTAX_PROBE_BLOCKS_H
#define GCTAX_PROBE_BLOCKS_H

#include "probe.h"

/* The allocators of objects and of memory are wrapped before the first instance is made, and each
 * block that they give is remembered. What is given back wrongly is kept from them: the probe sees
 * the mistake and not what it corrupts. Blocks that were there before are not judged. */
#define PROBE_BLOCKS(X)                                                                            \
    X(COUNT, instances, "instances that were made and destroyed with their slots filled")          \
    X(COUNT, head_bytes, "bytes that the interpreter keeps before an object with HAVE_GC")         \
    X(COUNT, offset, "of an instance in its block; unseen where it lies in none of these")         \
    X(COUNT, freed_inside, "addresses given back that lie inside a block")                         \
    X(COUNT, freed_inside_offset, "of the first of them in its block")                             \
    X(COUNT, freed_elsewhere, "blocks given back to another allocator than gave them")             \
    X(COUNT, freed_by_object, "of them: given by PyMem_Malloc(), back by PyObject_Free()")         \
    X(COUNT, freed_twice, "blocks given back twice")

struct probe_blocks {
    PROBE_BLOCKS(PROBE_MEMBER)
};

extern const struct probe probe_blocks;

#endif
