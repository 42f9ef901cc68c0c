/* untracked_twice: the second one is without a look, as the interpreter's own macro for types of
 * its own does it. */
#include "fault.h"

/* What lies before an instance on builds with a GIL. */
struct head {
    struct head *next;
    uintptr_t previous; /* and two bits of flags */
};

static void take_off_list(PyObject *self)
{
    struct head *head = (struct head *)self - 1;
    struct head *previous = (struct head *)(head->previous & ~(uintptr_t)3);
    previous->next = head->next;
    head->next->previous = (head->next->previous & 3) | (uintptr_t)previous;
}

/* The end of a base that expects its instances on the collector's list. */
static void base_dealloc(PyObject *self)
{
    take_off_list(self);
    fault_release(self);
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    base_dealloc(self);
}

const PyType_Slot fault_untracked_twice_slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
