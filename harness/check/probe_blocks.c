#include "pycompat.h"

#include "probe_blocks.h"
#include "probe_run.h"

#include <stdlib.h>

enum {
    INSTANCES = 32,  /* at once; fewer, but at least */
    FEWEST = 4,      /* where they are slow to make */
    MAX_OFFSET = 64, /* how far inside a block an address is looked for: heads are shorter */
    FIRST_ROOM = 1 << 14
};

/* To make the instances. */
static const double seconds = 0.01;

/* ---- Blocks by their address: open addressing, never shrinks ----------------------------------
 */

struct block {
    uintptr_t address; /* 0: no block */
    size_t size;
    int domain;
    bool freed;
};

static struct blocks {
    struct block *list;
    size_t room, count;
} blocks;

static struct block *place_of(const struct blocks *table, uintptr_t address)
{
    size_t at = (address >> 3) * 0x9E3779B97F4A7C15u;
    for (at ^= at >> 29;; at++) {
        struct block *block = &table->list[at & (table->room - 1)];
        if (block->address == address || block->address == 0)
            return block;
    }
}

static struct block *find_block(uintptr_t address)
{
    struct block *block = place_of(&blocks, address);
    return block->address != 0 ? block : NULL;
}

static int make_room(void)
{
    const size_t room = blocks.list != NULL ? blocks.room : 0;
    if (room != 0 && blocks.count < room / 2)
        return 0;
    struct blocks grown = {.room = room != 0 ? 2 * room : FIRST_ROOM, .count = blocks.count};
    grown.list = calloc(grown.room, sizeof *grown.list);
    if (grown.list == NULL)
        return -1;
    for (size_t i = 0; i < room; i++) {
        if (blocks.list[i].address != 0)
            *place_of(&grown, blocks.list[i].address) = blocks.list[i];
    }
    free(blocks.list);
    blocks = grown;
    return 0;
}

static void remember(void *address, size_t size, int domain)
{
    if (address == NULL || make_room() < 0)
        return;
    struct block *block = place_of(&blocks, (uintptr_t)address);
    blocks.count += block->address == 0;
    *block = (struct block){(uintptr_t)address, size, domain, false};
}

/* The living block that `address` lies in, not at its start, or NULL. */
static struct block *block_around(uintptr_t address)
{
    for (uintptr_t offset = 8; offset <= MAX_OFFSET; offset += 8) {
        struct block *block = find_block(address - offset);
        if (block != NULL && !block->freed && block->size > offset)
            return block;
    }
    return NULL;
}

/* ---- The wrapped allocators -------------------------------------------------------------------
 */

static struct domain {
    PyMemAllocatorEx old;
    int number;
    struct probe_blocks *seen;
} domains[2];

/* Whether a block may go back to its allocator; notes why not. */
static bool take_back(struct domain *domain, void *address)
{
    struct probe_blocks *seen = domain->seen;
    struct block *block = find_block((uintptr_t)address);
    if (block == NULL) {
        struct block *around = block_around((uintptr_t)address);
        if (around == NULL)
            return true; /* of a time before the probe */
        if (seen->freed_inside++ == 0)
            seen->freed_inside_offset = (int64_t)((uintptr_t)address - around->address);
        return false;
    }
    if (block->freed) {
        seen->freed_twice++;
        return false;
    }
    if (block->domain != domain->number) {
        seen->freed_elsewhere++;
        seen->freed_by_object += domain->number == PYMEM_DOMAIN_OBJ;
        return false;
    }
    block->freed = true;
    return true;
}

static void *note_malloc(void *context, size_t size)
{
    struct domain *domain = context;
    void *address = domain->old.malloc(domain->old.ctx, size);
    remember(address, size, domain->number);
    return address;
}

static void *note_calloc(void *context, size_t number, size_t size)
{
    struct domain *domain = context;
    void *address = domain->old.calloc(domain->old.ctx, number, size);
    remember(address, number * size, domain->number);
    return address;
}

static void note_free(void *context, void *address)
{
    struct domain *domain = context;
    if (address != NULL && take_back(domain, address))
        domain->old.free(domain->old.ctx, address);
}

static void *note_realloc(void *context, void *old, size_t size)
{
    struct domain *domain = context;
    if (old != NULL && !take_back(domain, old))
        return NULL;
    void *address = domain->old.realloc(domain->old.ctx, old, size);
    if (address != NULL)
        remember(address, size, domain->number);
    else if (old != NULL && find_block((uintptr_t)old) != NULL)
        find_block((uintptr_t)old)->freed = false;
    return address;
}

static int early(struct probe_run *run)
{
    static const PyMemAllocatorDomain numbers[] = {PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
    struct probe_blocks *seen = run->seen;
    if (make_room() < 0) {
        PyErr_NoMemory();
        return -1;
    }
    seen->freed_inside = seen->freed_elsewhere = seen->freed_by_object = seen->freed_twice = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct domain *domain = &domains[i];
        domain->number = numbers[i];
        domain->seen = seen;
        PyMem_GetAllocator(numbers[i], &domain->old);
        PyMemAllocatorEx noting = {domain, note_malloc, note_calloc, note_realloc, note_free};
        PyMem_SetAllocator(numbers[i], &noting);
    }
    return 0;
}

/* ---- The probe --------------------------------------------------------------------------------
 */

static void look_at_place(PyObject *self, struct probe_blocks *seen)
{
    struct block *block = find_block((uintptr_t)self);
    if (block != NULL && !block->freed)
        seen->offset = 0;
    else if ((block = block_around((uintptr_t)self)) != NULL)
        seen->offset = (int64_t)((uintptr_t)self - block->address);
}

static int body(struct probe_run *run)
{
    struct probe_blocks *seen = run->seen;
    PyObject *instances[INSTANCES] = {NULL};
    int made = 0;
    const int wanted = probe_affordable(run->make_s, FEWEST, INSTANCES, seconds);
    seen->head_bytes = GCTAX_GC_HEAD_BYTES;
    probe_step(run, "making instances under a watched allocator");
    /* All at once: the first may lie in what the type keeps of instances that were destroyed. */
    while (made < wanted && (instances[made] = probe_make_filled(run)) != NULL) {
        if (seen->offset == PROBE_UNSEEN)
            look_at_place(instances[made], seen);
        made++;
    }
    probe_step(run, "destroying instances under a watched allocator");
    for (int i = 0; i < made; i++)
        probe_drop(instances[i]);
    if (made < wanted)
        return -1;
    seen->instances = wanted;
    return 0;
}

static const struct probe_field fields[] = {PROBE_BLOCKS(PROBE_FIELD)};

const struct probe probe_blocks = {
    .name = "blocks",
    .doc = "The memory blocks of instances: where in them they lie, and how they are given back.",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .early = early,
    .body = body,
};
