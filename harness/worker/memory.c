#include "memory.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "procstat.h"

enum {
    MEMORY_WARM = 512,    /* more than any free list holds */
    MEMORY_COUNTED = 256, /* instances */
    MEMORY_BLOCKS = 1024, /* alive at once in the window of one instance */
    MEMORY_SMALL = 512,   /* pymalloc's largest request, and the step of its size classes */
    MEMORY_STEP = 16,
    MEMORY_GROWTH = 1 << 20, /* 256 pages: a resident size is right to half a percent */
    MEMORY_WINDOW = 8        /* steps that make it up */
};

/* ---- The hook -------------------------------------------------------------------------------- */

struct memory_block {
    void *address;
    size_t size;
};

/* The blocks born since the window was opened and not freed yet. */
struct memory_window {
    bool open, overflow;
    size_t count;
    struct memory_block blocks[MEMORY_BLOCKS];
};

struct memory_domain {
    PyMemAllocatorDomain domain;
    PyMemAllocatorEx old;
    struct memory_window *window;
};

static void memory_born(struct memory_window *window, void *address, size_t size)
{
    if (!window->open || address == NULL)
        return;
    if (window->count == MEMORY_BLOCKS) {
        window->overflow = true;
        return;
    }
    window->blocks[window->count++] = (struct memory_block){address, size};
}

static void memory_died(struct memory_window *window, const void *address)
{
    for (size_t i = window->count; i-- > 0;)
        if (window->blocks[i].address == address) {
            window->blocks[i] = window->blocks[--window->count];
            return;
        }
}

static void *memory_malloc(void *context, size_t size)
{
    struct memory_domain *domain = context;
    void *address = domain->old.malloc(domain->old.ctx, size);
    memory_born(domain->window, address, size);
    return address;
}

static void *memory_calloc(void *context, size_t count, size_t size)
{
    struct memory_domain *domain = context;
    void *address = domain->old.calloc(domain->old.ctx, count, size);
    memory_born(domain->window, address, count * size);
    return address;
}

static void *memory_realloc(void *context, void *address, size_t size)
{
    struct memory_domain *domain = context;
    void *moved = domain->old.realloc(domain->old.ctx, address, size);
    if (moved != NULL) {
        memory_died(domain->window, address);
        memory_born(domain->window, moved, size);
    }
    return moved;
}

static void memory_free(void *context, void *address)
{
    struct memory_domain *domain = context;
    memory_died(domain->window, address);
    domain->old.free(domain->old.ctx, address);
}

static void memory_hook(struct memory_domain *domain)
{
    PyMemAllocatorEx hook = {domain, memory_malloc, memory_calloc, memory_realloc, memory_free};

    PyMem_GetAllocator(domain->domain, &domain->old);
    PyMem_SetAllocator(domain->domain, &hook);
}

/* ---- Bytes of an instance -------------------------------------------------------------------- */

/* Usable bytes of a block; NaN under allocators whose size classes are not known here (mimalloc) or
 * that add bytes of their own (debug). */
static double memory_usable(const char *allocator, const struct memory_block *block)
{
    bool pymalloc = strcmp(allocator, "pymalloc") == 0;

    if (pymalloc && block->size <= MEMORY_SMALL)
        return (double)((block->size + (block->size == 0) + MEMORY_STEP - 1) / MEMORY_STEP *
                        MEMORY_STEP);
    if (pymalloc || strcmp(allocator, "malloc") == 0)
        return (double)malloc_usable_size(block->address);
    return NAN;
}

static void memory_add(const struct memory_window *window, const char *allocator,
                       const PyObject *object, struct memory_bytes *bytes)
{
    for (size_t i = 0; i < window->count; i++) {
        const struct memory_block *block = &window->blocks[i];
        size_t offset = (size_t)((const char *)object - (const char *)block->address);
        bool own = offset < block->size;
        *(own ? &bytes->own_requested : &bytes->owned_requested) += (double)block->size;
        *(own ? &bytes->own_usable : &bytes->owned_usable) += memory_usable(allocator, block);
    }
}

static int memory_sizeof(PyObject *object, double *bytes)
{
    PyObject *function = PySys_GetObject("getsizeof"); /* borrowed */
    PyObject *size = function == NULL ? NULL : PyObject_CallOneArg(function, object);

    if (size == NULL)
        return -1;
    *bytes = PyLong_AsDouble(size);
    Py_DECREF(size);
    return PyErr_Occurred() ? -1 : 0;
}

int memory_measure(const struct target *target, const char *allocator, struct memory_bytes *bytes)
{
    enum { ALL = MEMORY_WARM + MEMORY_COUNTED };
    int failed = -1;
    size_t made = 0;
    PyObject **objects = calloc(ALL, sizeof *objects);
    struct memory_window *window = calloc(1, sizeof *window);
    struct memory_domain domains[] = {
        {.domain = PYMEM_DOMAIN_OBJ, .window = window},
        {.domain = PYMEM_DOMAIN_MEM, .window = window},
    };

    *bytes = (struct memory_bytes){0};
    if (objects == NULL || window == NULL) {
        PyErr_NoMemory();
        goto finally;
    }
    while (made < MEMORY_WARM)
        if ((objects[made++] = target->make(target)) == NULL)
            goto finally;
    memory_hook(&domains[0]);
    memory_hook(&domains[1]);
    failed = 0;
    while (made < ALL && failed == 0) {
        window->count = 0;
        window->open = true;
        PyObject *object = target->make(target);
        window->open = false;
        objects[made++] = object;
        if (object == NULL)
            failed = -1;
        else
            memory_add(window, allocator, object, bytes);
    }
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &domains[1].old);
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &domains[0].old);
    if (failed == 0)
        failed = memory_sizeof(objects[ALL - 1], &bytes->sizeof_bytes);
    double count = window->overflow ? NAN : MEMORY_COUNTED;
    bytes->own_requested /= count;
    bytes->owned_requested /= count;
    bytes->own_usable /= count;
    bytes->owned_usable /= count;
finally:
    for (size_t i = 0; i < made; i++)
        Py_XDECREF(objects[i]);
    free(objects);
    free(window);
    return failed;
}

/* ---- Resident bytes -------------------------------------------------------------------------- */

void *memory_map(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Instances, held in an array that is resident before the first is made. */
struct memory_batch {
    PyObject **objects; /* owned */
    size_t count, made;
};

static int memory_open(struct memory_batch *batch, size_t count)
{
    batch->objects = memory_map(count * sizeof *batch->objects);
    if (batch->objects == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    batch->count = count;
    return 0;
}

static int memory_fill(struct memory_batch *batch, const struct target *target, size_t more)
{
    for (size_t end = batch->made + more; batch->made < end;) {
        PyObject *object = target->make(target);
        if (object == NULL)
            return -1;
        batch->objects[batch->made++] = object;
    }
    return 0;
}

static void memory_drop(struct memory_batch *batch)
{
    if (batch->objects == NULL)
        return;
    while (batch->made > 0)
        Py_DECREF(batch->objects[--batch->made]);
    munmap(batch->objects, batch->count * sizeof *batch->objects);
}

enum {
    MEMORY_RESIDENT_STEP = MEMORY_GROWTH / MEMORY_WINDOW, /* bytes that one step asks for */
    MEMORY_RESIDENT_STEPS = 72                            /* 9 MiB */
};

/* Growth by page faults of the last MEMORY_WINDOW of `used` steps is that of fresh memory: no step
 * took from what earlier passes left resident, be it in part, as the free pools of a large heap. */
static bool memory_grew(const double grown[], size_t used)
{
    if (used < MEMORY_WINDOW)
        return false;
    double least = grown[used - 1], most = least;
    for (size_t i = used - MEMORY_WINDOW; i < used; i++) {
        least = fmin(least, grown[i]);
        most = fmax(most, grown[i]);
    }
    return least >= 0.9 * MEMORY_RESIDENT_STEP && least >= 0.9 * most;
}

int memory_resident(const struct target *target, double requested, double *resident)
{
    /* Faults tell that memory is fresh because they count single pages; the growth itself is that
     * of the resident set, over the whole window. The array is resident before all of it. */
    double before[MEMORY_RESIDENT_STEPS], grown[MEMORY_RESIDENT_STEPS];
    size_t step = requested >= 1 ? (size_t)(MEMORY_RESIDENT_STEP / requested) + 1 : 0, used = 0;
    struct memory_batch batch = {0};
    int failed = -1;

    *resident = NAN;
    if (step == 0)
        return 0;
    if (memory_open(&batch, MEMORY_RESIDENT_STEPS * step) < 0)
        return -1;
    for (; used < MEMORY_RESIDENT_STEPS && !memory_grew(grown, used); used++) {
        before[used] = (double)procstat_resident();
        double faults = procstat_faults();
        if (memory_fill(&batch, target, step) < 0)
            goto finally;
        grown[used] = (procstat_faults() - faults) * (double)sysconf(_SC_PAGESIZE);
    }
    if (memory_grew(grown, used))
        *resident = ((double)procstat_resident() - before[used - MEMORY_WINDOW]) /
                    (double)(MEMORY_WINDOW * step);
    failed = 0;
finally:
    memory_drop(&batch);
    return failed;
}
