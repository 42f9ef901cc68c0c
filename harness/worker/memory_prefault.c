/* Arenas from a pool of resident pages: page faults leave the timed loop. */
#include "memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Lives as long as the process: pymalloc keeps the pointer. */
struct memory_pool {
    PyObjectArenaAllocator old;
    char *begin, *end;
    size_t arena_bytes; /* of the first arena asked for; 0 before */
    char *fresh;        /* what lies beyond has never been given out */
    size_t free_count;
    char *free_arenas[]; /* given back: the last one is given out first, its lines are cached */
};

enum { MEMORY_ARENA_LEAST = 256 << 10, MEMORY_ARENA_MOST = 1 << 20 };

static void *memory_arena_alloc(void *context, size_t size)
{
    struct memory_pool *pool = context;

    if (pool->arena_bytes == 0)
        pool->arena_bytes = size;
    if (size == pool->arena_bytes && size >= MEMORY_ARENA_LEAST) {
        if (pool->free_count > 0)
            return pool->free_arenas[--pool->free_count];
        if ((size_t)(pool->end - pool->fresh) >= size) {
            char *arena = pool->fresh;
            pool->fresh += size;
            return arena;
        }
    }
    return pool->old.alloc(pool->old.ctx, size);
}

static void memory_arena_free(void *context, void *address, size_t size)
{
    struct memory_pool *pool = context;
    char *arena = address;

    if (arena >= pool->begin && arena < pool->end)
        pool->free_arenas[pool->free_count++] = arena;
    else
        pool->old.free(pool->old.ctx, address, size);
}

/* Grows malloc()'s heap and keeps it: nothing is given back to the kernel, and no block below 32
 * MiB (the most glibc allows) gets a mapping of its own. */
static int memory_prefault_malloc(size_t bytes)
{
    enum { CHUNK = 1 << 20 };
    size_t count = bytes / CHUNK + 1;
    void **chunks = calloc(count, sizeof *chunks);
    int failed = chunks == NULL ? -1 : 0;

    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, -1);
    for (size_t i = 0; i < count && failed == 0; i++) {
        chunks[i] = malloc(CHUNK);
        if (chunks[i] == NULL)
            failed = -1;
        else
            memset(chunks[i], 1, CHUNK);
    }
    for (size_t i = 0; i < count && chunks != NULL; i++)
        free(chunks[i]);
    free(chunks);
    return failed;
}

int memory_prefault(size_t bytes, size_t large_bytes)
{
    bytes += 2 * (size_t)MEMORY_ARENA_MOST; /* a part of the first one for alignment */
    struct memory_pool *pool =
        calloc(1, sizeof *pool + bytes / MEMORY_ARENA_LEAST * sizeof pool->free_arenas[0]);
    char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pool == NULL || pages == MAP_FAILED) {
        free(pool);
        return -1;
    }
    /* Pages of the ordinary size, as pymalloc's own arenas have them: huge ones would spare address
     * translation that the native cell pays for. */
    madvise(pages, bytes, MADV_NOHUGEPAGE);
    memset(pages, 0, bytes);
    pool->begin =
        (char *)(((uintptr_t)pages + MEMORY_ARENA_MOST - 1) & ~(uintptr_t)(MEMORY_ARENA_MOST - 1));
    pool->end = pages + bytes;
    pool->fresh = pool->begin;
    PyObject_GetArenaAllocator(&pool->old);
    PyObjectArenaAllocator allocator = {pool, memory_arena_alloc, memory_arena_free};
    PyObject_SetArenaAllocator(&allocator);
    return large_bytes == 0 ? 0 : memory_prefault_malloc(large_bytes);
}
