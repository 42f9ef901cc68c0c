#include "pycompat.h"

#include "probe_alloc.h"

#include <string.h>

enum { MOST_HEAD = 64 }; /* bytes of a block before the object in it: heads are shorter */

static void count(struct probe_alloc_domain *domain, int blocks)
{
    domain->owner->calls++;
    if (domain->counts_blocks)
        domain->owner->live += blocks;
}

static void *count_malloc(void *context, size_t size)
{
    struct probe_alloc_domain *domain = context;
    void *block = domain->old.malloc(domain->old.ctx, size);
    count(domain, block != NULL);
    return block;
}

static void *count_calloc(void *context, size_t number, size_t size)
{
    struct probe_alloc_domain *domain = context;
    void *block = domain->old.calloc(domain->old.ctx, number, size);
    count(domain, block != NULL);
    return block;
}

static void *count_realloc(void *context, void *old, size_t size)
{
    struct probe_alloc_domain *domain = context;
    void *block = domain->old.realloc(domain->old.ctx, old, size);
    count(domain, old == NULL && block != NULL);
    return block;
}

static void count_free(void *context, void *block)
{
    struct probe_alloc_domain *domain = context;
    struct probe_alloc *owner = domain->owner;
    if (block != NULL && domain->counts_blocks)
        owner->live--;
    if (owner->watched != NULL && (uintptr_t)owner->watched - (uintptr_t)block <= MOST_HEAD)
        owner->watched_freed = true;
    domain->old.free(domain->old.ctx, block);
}

void probe_alloc_open(struct probe_alloc *alloc)
{
    static const PyMemAllocatorDomain domains[] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM,
                                                   PYMEM_DOMAIN_OBJ};
    memset(alloc, 0, sizeof *alloc);
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        struct probe_alloc_domain *domain = &alloc->domain[i];
        domain->owner = alloc;
        /* What the others do not serve themselves they ask of the raw domain: not counted twice. */
        domain->counts_blocks = domains[i] != PYMEM_DOMAIN_RAW;
        PyMem_GetAllocator(domains[i], &domain->old);
        PyMemAllocatorEx counting = {domain, count_malloc, count_calloc, count_realloc, count_free};
        PyMem_SetAllocator(domains[i], &counting);
    }
}
