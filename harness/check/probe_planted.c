#include "pycompat.h"

#include "probe_planted.h"

static int planted_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct planted *)self)->link);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int planted_clear(PyObject *self)
{
    Py_CLEAR(((struct planted *)self)->link);
    return 0;
}

static void run_hook(PyObject *self, planted_hook hook)
{
    if (hook == NULL)
        return;
    PyObject *exception = gctax_take_exception();
    hook(self, ((struct planted *)self)->context);
    PyErr_Clear();
    gctax_restore_exception(exception);
}

static void planted_finalize(PyObject *self)
{
    run_hook(self, ((struct planted *)self)->on_finalize);
}

static void planted_dealloc(PyObject *self)
{
    struct planted *planted = (struct planted *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (PyObject_CallFinalizerFromDealloc(self) < 0)
        return;
    PyObject_GC_UnTrack(self);
    run_hook(self, planted->on_dealloc);
    Py_CLEAR(planted->link);
    planted->kit->alive--;
    type->tp_free(self);
    Py_DECREF(type);
}

int planted_kit_open(struct planted_kit *kit)
{
    PyType_Slot slots[] = {
        {Py_tp_traverse, (void *)planted_traverse},
        {Py_tp_clear, (void *)planted_clear},
        {Py_tp_finalize, (void *)planted_finalize},
        {Py_tp_dealloc, (void *)planted_dealloc},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "gctax_probe.planted",
        .basicsize = sizeof(struct planted),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    kit->alive = 0;
    kit->type = (PyTypeObject *)PyType_FromSpec(&spec);
    return kit->type == NULL ? -1 : 0;
}

PyObject *planted_new(struct planted_kit *kit)
{
    PyObject *self = kit->type->tp_alloc(kit->type, 0);
    if (self == NULL)
        return NULL;
    ((struct planted *)self)->kit = kit;
    kit->alive++;
    return self;
}

void planted_link(PyObject *self, PyObject *object)
{
    PyObject *old = ((struct planted *)self)->link;
    ((struct planted *)self)->link = Py_XNewRef(object);
    Py_XDECREF(old);
}
