#include "pycompat.h"

#include "probe_hook.h"

/* ---- tp_finalize ------------------------------------------------------------------------------
 */

static struct probe_finalize_hook finalize_hook;

static void hooked_finalize(PyObject *self)
{
    struct probe_finalize_hook *hook = &finalize_hook;
    hook->calls++;
    if (hook->reference != NULL) {
        PyObject *exception = gctax_take_exception();
        PyObject *object = PyObject_CallNoArgs(hook->reference);
        hook->reference_alive = object == self;
        Py_XDECREF(object);
        PyErr_Clear();
        gctax_restore_exception(exception);
    }
    Py_ssize_t before = Py_REFCNT(self);
    hook->original(self);
    if (Py_REFCNT(self) > before)
        hook->own_return = true;
    if (hook->resurrect) {
        hook->resurrect = false;
        hook->watched_then = hook->watched != NULL ? *hook->watched : 0;
        hook->returned = Py_NewRef(self);
    }
}

/* A class in Python looks for a tp_clear that is not its own among the bases of type(self), itself
 * included: the slot is as it was while it does. */
static int hooked_clear(PyObject *self)
{
    struct probe_finalize_hook *hook = &finalize_hook;
    if (self == hook->returned)
        hook->cleared = true;
    hook->type->tp_clear = hook->original_clear;
    int result = hook->original_clear(self);
    hook->type->tp_clear = hooked_clear;
    return result;
}

struct probe_finalize_hook *probe_hook_finalize(PyTypeObject *type)
{
    if (type->tp_finalize == NULL)
        return NULL;
    finalize_hook = (struct probe_finalize_hook){
        .type = type, .original = type->tp_finalize, .original_clear = type->tp_clear};
    type->tp_finalize = hooked_finalize;
    if (type->tp_clear != NULL)
        type->tp_clear = hooked_clear;
    return &finalize_hook;
}

/* ---- tp_alloc, tp_init, callbacks -------------------------------------------------------------
 */

static struct {
    allocfunc alloc;
    initproc init;
    probe_between between;
    void *context;
    bool begun; /* tp_alloc was called */
} construction;

static PyObject *hooked_alloc(PyTypeObject *type, Py_ssize_t items)
{
    PyObject *self = construction.alloc(type, items);
    if (self != NULL)
        construction.between(self, PROBE_ALLOCATED, construction.context);
    construction.begun = true;
    return self;
}

static int hooked_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    construction.between(self, PROBE_MADE, construction.context);
    return construction.init(self, args, kwargs);
}

/* The interpreter calls none for what runs inside. */
static int on_call(PyObject *Py_UNUSED(unused), PyFrameObject *Py_UNUSED(frame), int what,
                   PyObject *Py_UNUSED(arg))
{
    if (what == PyTrace_CALL && construction.begun)
        construction.between(NULL, PROBE_CALLBACK, construction.context);
    return 0;
}

void probe_hook_construction(PyTypeObject *type, probe_between between, void *context)
{
    construction.alloc = type->tp_alloc;
    construction.init = type->tp_init;
    construction.between = between;
    construction.context = context;
    construction.begun = false;
    if (construction.alloc != NULL)
        type->tp_alloc = hooked_alloc;
    if (construction.init != NULL)
        type->tp_init = hooked_init;
    PyEval_SetProfile(on_call, NULL);
}

void probe_hook_construction_over(void)
{
    PyEval_SetProfile(NULL, NULL);
}
