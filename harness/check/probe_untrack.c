#include "pycompat.h"

#include "probe_alloc.h"
#include "probe_run.h"
#include "probe_untrack.h"

struct watch {
    PyObject *parent;                /* borrowed: its memory is there while its members die */
    bool over;                       /* the instance is gone: do not look */
    const struct probe_alloc *alloc; /* tells whether its memory is */
    bool dying;
    bool tracked;
};

static void look_at_parent(PyObject *Py_UNUSED(planted), void *context)
{
    struct watch *watch = context;
    /* Some give their memory back first and release what they held after that: tp_free untracks. */
    if (watch->over || watch->alloc->watched_freed || Py_REFCNT(watch->parent) != 0)
        return;
    watch->dying = true;
    watch->tracked = probe_is_tracked(watch->parent);
}

static int look(struct probe_run *run, int slot, struct probe_alloc *alloc,
                struct probe_untrack_slot *seen)
{
    static struct watch watch; /* static, because a member that was not destroyed may look later */
    probe_step(run, "destroying an instance whose member looks at it from slot %s",
               run->slots[slot].name);
    PyObject *planted = planted_new(&run->planted);
    if (planted == NULL)
        return -1;
    PyObject *self = probe_make_with(run, slot, planted);
    PyErr_Clear();
    if (self == NULL) {
        Py_DECREF(planted);
        return 0; /* refused */
    }
    watch = (struct watch){.parent = self, .alloc = alloc};
    alloc->watched = self;
    alloc->watched_freed = false;
    ((struct planted *)planted)->on_dealloc = look_at_parent;
    ((struct planted *)planted)->context = &watch;
    Py_DECREF(planted);
    probe_drop(self);
    /* Whatever still holds the member lets it look at memory that is not there any more. */
    watch.over = true;
    alloc->watched = NULL;
    seen->dying = watch.dying;
    if (watch.dying)
        seen->tracked = watch.tracked;
    return 0;
}

static int body(struct probe_run *run)
{
    struct probe_untrack *seen = run->seen;
    static struct probe_alloc alloc; /* hooks the allocators of this child for good */
    probe_alloc_open(&alloc);
    seen->have_gc = PyType_IS_GC(run->type) != 0;
    for (int i = 0; i < run->slot_count; i++) {
        if (look(run, i, &alloc, &seen->slot[i]) < 0)
            return -1;
    }
    return 0;
}

static const struct probe_field fields[] = {PROBE_UNTRACK(PROBE_FIELD)};
static const struct probe_field slot_fields[] = {PROBE_UNTRACK_SLOT(PROBE_FIELD)};

const struct probe probe_untrack = {
    .name = "untrack",
    .doc = "A planted member that looks at its instance while both die: is it still tracked?",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .slot_fields = slot_fields,
    .slot_field_count = sizeof slot_fields / sizeof *slot_fields,
    .body = body,
};
