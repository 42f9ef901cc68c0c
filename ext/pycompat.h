/* The only gateway to Python.h, and the only place that knows what moved between CPython 3.9 and
 * 3.15. Code elsewhere asks for a capability by a name of ours (GCTAX_…) and never for a version.
 */
#ifndef GCTAX_PYCOMPAT_H
#define GCTAX_PYCOMPAT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

#if PY_VERSION_HEX < 0x03090000
#error "gctax needs CPython 3.9 or newer"
#endif

/* Minor number of the release this is compiled for, to be held against variant_row.since. */
#define GCTAX_RELEASE PY_MINOR_VERSION

#ifdef Py_GIL_DISABLED
#define GCTAX_FREE_THREADED 1
#else
#define GCTAX_FREE_THREADED 0
#endif

/* What lies before an object (cpython-internal PyGC_Head and pre-header, 16 bytes each): the head
 * is there for HAVE_GC unless the build is free-threaded, the pre-header for a managed dict or
 * managed weak references. */
#define GCTAX_GC_HEAD_BYTES (GCTAX_FREE_THREADED ? 0 : 2 * sizeof(void *))
#define GCTAX_PRE_HEADER_BYTES (2 * sizeof(void *))

/* What a Python subclass adds to an instance for a dict and weak references that its base lacks,
 * pre-header included: two pointers in the struct up to 3.10, on 3.11 the dict moves before the
 * object, from 3.12 on both. A subclass of a type with items has no weak references, and up to 3.11
 * its dict lies behind the items. */
#if PY_VERSION_HEX >= 0x030C0000
#define GCTAX_SUBCLASS_BYTES GCTAX_PRE_HEADER_BYTES
#define GCTAX_SUBCLASS_DICT_BYTES GCTAX_PRE_HEADER_BYTES
#define GCTAX_SUBCLASS_WEAKREF_BYTES GCTAX_PRE_HEADER_BYTES
#define GCTAX_VAR_SUBCLASS_BYTES GCTAX_PRE_HEADER_BYTES
#elif PY_VERSION_HEX >= 0x030B0000
#define GCTAX_SUBCLASS_BYTES (GCTAX_PRE_HEADER_BYTES + sizeof(void *))
#define GCTAX_SUBCLASS_DICT_BYTES GCTAX_PRE_HEADER_BYTES
#define GCTAX_SUBCLASS_WEAKREF_BYTES sizeof(void *)
#define GCTAX_VAR_SUBCLASS_BYTES sizeof(void *)
#else
#define GCTAX_SUBCLASS_BYTES (2 * sizeof(void *))
#define GCTAX_SUBCLASS_DICT_BYTES sizeof(void *)
#define GCTAX_SUBCLASS_WEAKREF_BYTES sizeof(void *)
#define GCTAX_VAR_SUBCLASS_BYTES sizeof(void *)
#endif

/* ---- Names that came after 3.9 ----------------------------------------------------------------
 */

#if PY_VERSION_HEX < 0x030A0000
static inline PyObject *gctax_new_ref(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

static inline PyObject *gctax_xnew_ref(PyObject *object)
{
    Py_XINCREF(object);
    return object;
}
#define Py_NewRef(object) gctax_new_ref((PyObject *)(object))
#define Py_XNewRef(object) gctax_xnew_ref((PyObject *)(object))
#else
#define GCTAX_IMMUTABLE_TYPES 1
#endif

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

#if PY_VERSION_HEX >= 0x030C0000
#define GCTAX_MANAGED_WEAKREF 1
#define GCTAX_METACLASSES 1 /* PyType_FromMetaclass() */
#define GCTAX_TYPE_DATA 1   /* PyObject_GetTypeData(), PyObject_GetItemData() */
#define GCTAX_EXTRA_DATA 1  /* PyUnstable_Object_GC_NewWithExtraData() */
#endif

/* The calls that tp_traverse may make: from 3.15 on they have a name of their own. */
#if PY_VERSION_HEX >= 0x030F0000
#define GCTAX_TYPE_DATA_DURING_GC PyObject_GetTypeData_DuringGC
#define GCTAX_ITEM_DATA_DURING_GC PyObject_GetItemData_DuringGC
#elif PY_VERSION_HEX >= 0x030C0000
#define GCTAX_TYPE_DATA_DURING_GC PyObject_GetTypeData
#define GCTAX_ITEM_DATA_DURING_GC PyObject_GetItemData
#endif

/* ---- Managed instance dicts -------------------------------------------------------------------
 */

/* 3.11 has the flag, but nothing that an extension could visit or clear the dict with. */
#if PY_VERSION_HEX >= 0x030C0000
#define GCTAX_MANAGED_DICT 1
#if PY_VERSION_HEX >= 0x030D0000
#define GCTAX_VISIT_MANAGED_DICT PyObject_VisitManagedDict
#define GCTAX_CLEAR_MANAGED_DICT PyObject_ClearManagedDict
#else
#define GCTAX_VISIT_MANAGED_DICT _PyObject_VisitManagedDict
#define GCTAX_CLEAR_MANAGED_DICT _PyObject_ClearManagedDict
#endif
#endif

/* Of types, by whatever they were made. */
#ifdef Py_TPFLAGS_MANAGED_DICT
#define GCTAX_MANAGED_DICT_FLAG Py_TPFLAGS_MANAGED_DICT
#else
#define GCTAX_MANAGED_DICT_FLAG 0UL
#endif

/* ---- Modules ----------------------------------------------------------------------------------
 */

/* Slots that say: several interpreters may import it, each with a GIL of its own; it needs no GIL.
 */
#if PY_VERSION_HEX >= 0x030D0000
#define GCTAX_MODULE_SLOTS                                                                         \
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},                          \
        {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#elif PY_VERSION_HEX >= 0x030C0000
#define GCTAX_MODULE_SLOTS {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#else
#define GCTAX_MODULE_SLOTS
#endif

/* ---- Interpreters -----------------------------------------------------------------------------
 */

#if PY_VERSION_HEX >= 0x030C0000
#define GCTAX_OWN_GIL 1 /* an interpreter may have a GIL of its own */
#else
#define GCTAX_OWN_GIL 0
#endif

/* Starts an interpreter and makes its thread state the current one; with a GIL of its own it
 * imports only modules that declare their support. NULL without an exception where it could not be
 * started; then no thread state may be current. */
static inline PyThreadState *gctax_new_interpreter(int own_gil)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyInterpreterConfig config = {
        .use_main_obmalloc = !own_gil,
        .allow_fork = 1,
        .allow_exec = 1,
        .allow_threads = 1,
        .allow_daemon_threads = 1,
        .check_multi_interp_extensions = own_gil || GCTAX_FREE_THREADED,
        .gil = own_gil ? PyInterpreterConfig_OWN_GIL : PyInterpreterConfig_SHARED_GIL,
    };
    PyThreadState *state = NULL;
    PyStatus status = Py_NewInterpreterFromConfig(&state, &config);
    return PyStatus_Exception(status) ? NULL : state;
#else
    (void)own_gil;
    return Py_NewInterpreter();
#endif
}

#if PY_VERSION_HEX >= 0x030D0000
/* What the interpreter's own main() calls around a program.
 * NOLINTBEGIN(bugprone-reserved-identifier) */
int _PyInterpreterState_SetRunningMain(PyInterpreterState *) __attribute__((weak));
void _PyInterpreterState_SetNotRunningMain(PyInterpreterState *) __attribute__((weak));
/* NOLINTEND(bugprone-reserved-identifier) */
#endif

/* Before Py_FinalizeEx() in the middle of a program that `python PROGRAM` runs: debug builds check
 * that it has come to its end. */
static inline void gctax_leave_program(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    if (_PyInterpreterState_SetRunningMain == NULL || _PyInterpreterState_SetNotRunningMain == NULL)
        return;
    (void)_PyInterpreterState_SetRunningMain(interpreter); /* fails where it is running */
    PyErr_Clear();
    _PyInterpreterState_SetNotRunningMain(interpreter);
#endif
}

/* ---- Exceptions -------------------------------------------------------------------------------
 */

/* Takes the exception in flight: a new reference to it, or NULL where there is none. */
static inline PyObject *gctax_take_exception(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (type == NULL)
        return NULL;
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL && PyExceptionInstance_Check(value))
        (void)PyException_SetTraceback(value, traceback);
    Py_DECREF(type);
    Py_XDECREF(traceback);
    return value;
#endif
}

/* Puts back what gctax_take_exception() gave, and takes its reference; NULL: none is in flight. */
static inline void gctax_restore_exception(PyObject *exception)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException(exception);
#else
    if (exception == NULL) {
        PyErr_Restore(NULL, NULL, NULL);
        return;
    }
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(exception)), exception,
                  PyException_GetTraceback(exception));
#endif
}

/* ---- Reference counts -------------------------------------------------------------------------
 */

/* Free-threaded builds count the references to a heap type by thread from 3.14 on: what Py_REFCNT
 * says of it does not follow its instances. */
#if GCTAX_FREE_THREADED && PY_VERSION_HEX >= 0x030E0000
#define GCTAX_TYPE_COUNTS_BY_THREAD 1
#else
#define GCTAX_TYPE_COUNTS_BY_THREAD 0
#endif

/* ---- Threads ----------------------------------------------------------------------------------
 */

#if PY_VERSION_HEX >= 0x030D0000
#define GCTAX_BEGIN_CRITICAL_SECTION(object) Py_BEGIN_CRITICAL_SECTION(object)
#define GCTAX_END_CRITICAL_SECTION() Py_END_CRITICAL_SECTION()
#else
#define GCTAX_BEGIN_CRITICAL_SECTION(object) {
#define GCTAX_END_CRITICAL_SECTION() }
#endif

/* A lock where threads run at the same time; under the GIL there is nothing to lock. */
#if GCTAX_FREE_THREADED
typedef PyMutex gctax_mutex;
#define GCTAX_LOCK(lock) PyMutex_Lock(&(lock))
#define GCTAX_UNLOCK(lock) PyMutex_Unlock(&(lock))
#else
typedef char gctax_mutex;
#define GCTAX_LOCK(lock) ((void)(lock))
#define GCTAX_UNLOCK(lock) ((void)(lock))
#endif

/* Adds one to a uint64_t that all threads share: under the GIL one plain instruction. Interpreters
 * that have a GIL each and run at the same time may lose counts; a worker runs one interpreter. */
#if GCTAX_FREE_THREADED
#define GCTAX_COUNT(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED))
#define GCTAX_COUNTED(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)
#else
#define GCTAX_COUNT(counter) ((void)((counter)++))
#define GCTAX_COUNTED(counter) (counter)
#endif

#endif
