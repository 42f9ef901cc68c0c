/* forgets_to_track: what is put into it later is not shown to the collector. */
#include "fault.h"

static PyMethodDef replaced[] = {FAULT_GET, FAULT_SET, {NULL, NULL, 0, NULL}};

const PyType_Slot fault_forgets_to_track_slots[] = {
    {Py_tp_methods, (void *)replaced},
    {0, NULL},
};
