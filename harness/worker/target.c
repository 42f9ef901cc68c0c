#include "target_kinds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cell.h"
#include "variant.h"

enum target_result target_fail(char *why, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return TARGET_ERROR;
}

enum target_result target_fail_exception(char *why, size_t size, const char *prefix)
{
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *text = value == NULL ? NULL : PyObject_Str(value);
    const char *message = text == NULL ? NULL : PyUnicode_AsUTF8(text);
    const char *name = type == NULL ? "no exception" : ((PyTypeObject *)type)->tp_name;
    const char *dot = strrchr(name, '.');
    target_fail(why, size, "%s%s%s%s", prefix, dot == NULL ? name : dot + 1,
                message == NULL || *message == '\0' ? "" : ": ", message == NULL ? "" : message);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    PyErr_Clear();
    return TARGET_ERROR;
}

/* ---- Ours ------------------------------------------------------------------------------------ */

static PyObject *target_make_alloc(const struct target *target)
{
    return target->type->tp_alloc(target->type, 0);
}

static PyObject *target_make_create(const struct target *target)
{
    return target->variant->family->create(target->type, target->fields);
}

static int target_link_field(const struct target *target, PyObject *from, PyObject *to)
{
    return target->variant->family->set(from, 0, to);
}

static int target_link_field_at(const struct target *target, PyObject *from, int place,
                                PyObject *to)
{
    return target->variant->family->set(from, place, to);
}

static int target_unlink_field(const struct target *target, PyObject *from)
{
    return target->variant->family->set(from, 0, NULL);
}

bool target_open_variant(struct target *target, const char *name, const struct variant_table *table,
                         enum target_result *result, char *why, size_t size)
{
    const struct variant *variant = NULL;

    for (unsigned i = 0; i < table->count && variant == NULL; i++)
        if (strcmp(table->variants[i].name, name) == 0)
            variant = &table->variants[i];
    if (variant == NULL)
        return false;
    if (variant->type == NULL) {
        snprintf(why, size, "needs 3.%d", variant->row->since);
        *result = TARGET_SKIPPED;
        return true;
    }
    target->variant = variant;
    target->fields = variant->fields;
    target->type = (PyTypeObject *)Py_NewRef(variant->type);
    target->destroyed = table->destroyed;
    target->call = variant->family->call != NULL ? variant->family->call : "tp_alloc";
    const char *finalizer = variant->row->finalizer;
    target->comes_back = finalizer != NULL && strcmp(finalizer, "resurrect") == 0;
    target->make = variant->family->create == NULL ? target_make_alloc : target_make_create;
    if (variant->family->set != NULL && variant->fields > 0) {
        target->link = target_link_field;
        target->unlink = target_unlink_field;
        if (variant->fields > 1)
            target->link_at = target_link_field_at;
    }
    *result = TARGET_OK;
    return true;
}

/* ---- Any ------------------------------------------------------------------------------------- */

/* Makes two instances: learns their type, and that they are two. */
static enum target_result target_probe(struct target *target, const struct cell *cell, char *why,
                                       size_t size)
{
    /* Beyond any count that references can reach: CPython's mark of an immortal object. */
    const Py_ssize_t immortal = (Py_ssize_t)1 << 29;
    enum target_result result = TARGET_OK;
    PyObject *a = target->make(target);
    PyObject *b = a == NULL ? NULL : target->make(target);

    if (b == NULL) {
        char prefix[512];
        snprintf(prefix, sizeof prefix, "making an instance of '%s' raises ", cell->target);
        result = target_fail_exception(why, size, prefix);
    } else if (a == b || Py_REFCNT(a) >= immortal) {
        snprintf(why, size, "shared object: '%s' gives the same %s each time",
                 *cell->make == '\0' ? cell->target : cell->make, Py_TYPE(a)->tp_name);
        result = TARGET_SKIPPED;
    } else {
        Py_XSETREF(target->type, (PyTypeObject *)Py_NewRef(Py_TYPE(a)));
        if (target->callee != NULL || target->code != NULL)
            if (target->link == NULL)
                result = target_link_user(target, cell, a, b, why, size);
    }
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

enum target_result target_open(struct target *target, const struct cell *cell,
                               const struct variant_table *table, bool venv, char *why, size_t size)
{
    enum target_result result;
    const char *name = cell->target;

    *target = (struct target){0};
    *why = '\0';
    if (strchr(name, ':') == NULL && (*cell->make != '\0' || *cell->link != '\0'))
        return target_fail(why, size, "--make and --link need a target MODULE:EXPR, not '%s'",
                           name);
    if (strcmp(name, "null") == 0) {
        target_open_null(target);
        return TARGET_OK;
    }
    if (strchr(name, ':') != NULL)
        result = target_open_user(target, cell, venv, why, size);
    else if (!target_open_variant(target, name, table, &result, why, size) &&
             !target_open_builtin(target, name, &result, why, size))
        result =
            target_fail(why, size, "unknown target '%s': no variant, builtin or MODULE:EXPR", name);
    if (result == TARGET_OK)
        result = target_probe(target, cell, why, size);
    if (result != TARGET_OK)
        target_close(target);
    else {
        const char *collector = target->variant != NULL ? target->variant->row->collector : NULL;
        target->has_gc = PyType_HasFeature(target->type, Py_TPFLAGS_HAVE_GC);
        target->collects =
            target->has_gc && (collector == NULL || strcmp(collector, "subclass") != 0);
    }
    return result;
}

void target_close(struct target *target)
{
    Py_CLEAR(target->type);
    Py_CLEAR(target->callee);
    Py_CLEAR(target->code);
    Py_CLEAR(target->globals);
    Py_CLEAR(target->make_args);
    Py_CLEAR(target->kwnames);
    Py_CLEAR(target->link_name);
    Py_CLEAR(target->unlink_name);
    Py_CLEAR(target->link_call);
    *target = (struct target){0};
}
