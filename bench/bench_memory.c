/* The memory pass: a hook on the allocator domains OBJ and MEM (not RAW: what pymalloc passes on
 * would count twice) that passes every call through unchanged. It is there only during that pass.
 */
#include "bench.h"

#include <stdlib.h>

struct bench_memory_block {
    void *address;
    size_t size;
};

struct bench_memory_domain {
    PyMemAllocatorDomain domain;
    PyMemAllocatorEx old;
    struct bench_memory *memory;
};

struct bench_memory {
    bool running, counting;
    struct gbench_memory_result result;
    int64_t bytes; /* alive now, of the blocks below */
    /* Blocks born while counting and alive; owned, by malloc(), which is not hooked. */
    struct bench_memory_block *blocks;
    size_t count, room;
    struct bench_memory_domain domains[2];
};

static void bench_memory_born(struct bench_memory *memory, void *address, size_t size)
{
    if (!memory->counting || address == NULL)
        return;
    memory->result.allocations++;
    if (memory->count == memory->room) {
        size_t room = memory->room == 0 ? 1024 : 2 * memory->room;
        struct bench_memory_block *blocks = realloc(memory->blocks, room * sizeof *blocks);
        if (blocks == NULL)
            return; /* one block less in the peak */
        memory->blocks = blocks;
        memory->room = room;
    }
    memory->blocks[memory->count++] = (struct bench_memory_block){address, size};
    memory->bytes += (int64_t)size;
    if (memory->bytes > memory->result.peak_bytes)
        memory->result.peak_bytes = memory->bytes;
}

static void bench_memory_died(struct bench_memory *memory, const void *address)
{
    for (size_t i = memory->count; i-- > 0;)
        if (memory->blocks[i].address == address) {
            memory->bytes -= (int64_t)memory->blocks[i].size;
            memory->blocks[i] = memory->blocks[--memory->count];
            return;
        }
}

static void *bench_memory_malloc(void *context, size_t size)
{
    struct bench_memory_domain *domain = context;
    void *address = domain->old.malloc(domain->old.ctx, size);
    bench_memory_born(domain->memory, address, size);
    return address;
}

static void *bench_memory_calloc(void *context, size_t count, size_t size)
{
    struct bench_memory_domain *domain = context;
    void *address = domain->old.calloc(domain->old.ctx, count, size);
    bench_memory_born(domain->memory, address, count * size);
    return address;
}

static void *bench_memory_realloc(void *context, void *address, size_t size)
{
    struct bench_memory_domain *domain = context;
    void *moved = domain->old.realloc(domain->old.ctx, address, size);
    if (moved != NULL) {
        bench_memory_died(domain->memory, address);
        bench_memory_born(domain->memory, moved, size);
    }
    return moved;
}

static void bench_memory_free(void *context, void *address)
{
    struct bench_memory_domain *domain = context;
    bench_memory_died(domain->memory, address);
    domain->old.free(domain->old.ctx, address);
}

struct bench_memory *bench_memory_open(void)
{
    static const PyMemAllocatorDomain hooked[] = {PYMEM_DOMAIN_OBJ, PYMEM_DOMAIN_MEM};
    struct bench_memory *memory = calloc(1, sizeof *memory);

    if (memory == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int i = 0; i < 2; i++)
        memory->domains[i] = (struct bench_memory_domain){.domain = hooked[i], .memory = memory};
    return memory;
}

/* The library calls both without any benchmark running. */
static void bench_memory_start(void *argument)
{
    struct bench_memory *memory = argument;
    PyGILState_STATE attached = PyGILState_Ensure();

    memory->result = (struct gbench_memory_result){0};
    memory->bytes = 0;
    memory->count = 0;
    for (int i = 0; i < 2; i++) {
        struct bench_memory_domain *domain = &memory->domains[i];
        PyMemAllocatorEx hook = {domain, bench_memory_malloc, bench_memory_calloc,
                                 bench_memory_realloc, bench_memory_free};
        PyMem_GetAllocator(domain->domain, &domain->old);
        PyMem_SetAllocator(domain->domain, &hook);
    }
    memory->running = true;
    PyGILState_Release(attached);
}

static void bench_memory_stop(void *argument, struct gbench_memory_result *result)
{
    struct bench_memory *memory = argument;
    PyGILState_STATE attached = PyGILState_Ensure();

    for (int i = 0; i < 2; i++)
        PyMem_SetAllocator(memory->domains[i].domain, &memory->domains[i].old);
    memory->running = false;
    PyGILState_Release(attached);
    *result = memory->result;
}

void bench_memory_register(struct bench_memory *memory)
{
    const struct gbench_memory functions = {memory, bench_memory_start, bench_memory_stop};

    gbench_set_memory(&functions);
}

void bench_memory_count(struct bench_memory *memory, bool count)
{
    if (memory != NULL && memory->running)
        memory->counting = count;
}
