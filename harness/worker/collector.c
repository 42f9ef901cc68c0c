#include "collector.h"

int collector_open(struct collector *collector)
{
    *collector = (struct collector){0};
    const struct {
        const char *name;
        PyObject **member;
    } functions[] = {
        {"collect", &collector->collect},
        {"get_stats", &collector->get_stats},
        {"get_count", &collector->get_count},
        {"get_objects", &collector->get_objects},
        {"set_threshold", &collector->set_threshold},
        {"get_threshold", &collector->get_threshold},
        {"enable", &collector->enable},
        {"disable", &collector->disable},
        {"freeze", &collector->freeze},
        {"unfreeze", &collector->unfreeze},
        {"callbacks", &collector->callbacks},
    };
    PyObject *gc = PyImport_ImportModule("gc");

    if (gc == NULL)
        return -1;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        *functions[i].member = PyObject_GetAttrString(gc, functions[i].name);
        if (*functions[i].member == NULL)
            goto fail;
    }
    for (int generation = 0; generation < 3; generation++) {
        collector->generation[generation] = PyLong_FromLong(generation);
        if (collector->generation[generation] == NULL)
            goto fail;
    }
    Py_DECREF(gc);
    return 0;
fail:
    Py_DECREF(gc);
    collector_close(collector);
    return -1;
}

/* An integer object (reference taken over) into *value. */
static int collector_count(PyObject *number, uint64_t *value)
{
    if (number == NULL)
        return -1;
    *value = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

int collector_collect(struct collector *collector, int generation, uint64_t *found)
{
    uint64_t ignored;

    collector->explicit_now = true;
    PyObject *result =
        PyObject_Vectorcall(collector->collect, &collector->generation[generation], 1, NULL);
    collector->explicit_now = false;
    return collector_count(result, found == NULL ? &ignored : found);
}

int collector_settle(struct collector *collector)
{
    for (int round = 0; round < 100; round++) {
        uint64_t found;
        if (collector_collect(collector, 2, &found) < 0)
            return -1;
        if (found == 0)
            break;
    }
    return 0;
}

int collector_stats(struct collector *collector, struct collector_stats *stats)
{
    PyObject *generations = PyObject_CallNoArgs(collector->get_stats);
    int result = -1;

    *stats = (struct collector_stats){0};
    if (generations == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_Size(generations); i++) {
        PyObject *generation = PyList_GetItem(generations, i);
        uint64_t collections, collected, uncollectable;
        if (generation == NULL ||
            collector_count(PyMapping_GetItemString(generation, "collections"), &collections) < 0 ||
            collector_count(PyMapping_GetItemString(generation, "collected"), &collected) < 0 ||
            collector_count(PyMapping_GetItemString(generation, "uncollectable"), &uncollectable) <
                0)
            goto finally;
        stats->collections[i < 3 ? i : 2] += collections;
        stats->collected += collected;
        stats->uncollectable += uncollectable;
    }
    result = 0;
finally:
    Py_DECREF(generations);
    return result;
}

int collector_thresholds(struct collector *collector, uint64_t thresholds[3])
{
    PyObject *tuple = PyObject_CallNoArgs(collector->get_threshold);
    int result = 0;

    if (tuple == NULL)
        return -1;
    for (int i = 0; i < 3 && result == 0; i++)
        result = collector_count(PySequence_GetItem(tuple, i), &thresholds[i]);
    Py_DECREF(tuple);
    return result;
}

int collector_set_thresholds(struct collector *collector, const uint64_t thresholds[3])
{
    PyObject *result =
        PyObject_CallFunction(collector->set_threshold, "KKK", (unsigned long long)thresholds[0],
                              (unsigned long long)thresholds[1], (unsigned long long)thresholds[2]);

    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

int collector_count0(struct collector *collector, int64_t *count)
{
    PyObject *tuple = PyObject_CallNoArgs(collector->get_count);

    if (tuple == NULL)
        return -1;
    PyObject *number = PySequence_GetItem(tuple, 0);
    Py_DECREF(tuple);
    if (number == NULL)
        return -1;
    *count = PyLong_AsLongLong(number);
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

int collector_tracked(struct collector *collector, uint64_t *count)
{
    PyObject *objects = PyObject_CallNoArgs(collector->get_objects);

    if (objects == NULL)
        return -1;
    *count = (uint64_t)PyList_Size(objects);
    Py_DECREF(objects);
    return 0;
}

int collector_call(PyObject *function)
{
    PyObject *result = PyObject_CallNoArgs(function);

    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

void collector_close(struct collector *collector)
{
    Py_CLEAR(collector->collect);
    Py_CLEAR(collector->get_stats);
    Py_CLEAR(collector->get_count);
    Py_CLEAR(collector->get_objects);
    Py_CLEAR(collector->set_threshold);
    Py_CLEAR(collector->get_threshold);
    Py_CLEAR(collector->enable);
    Py_CLEAR(collector->disable);
    Py_CLEAR(collector->freeze);
    Py_CLEAR(collector->unfreeze);
    Py_CLEAR(collector->callbacks);
    for (int generation = 0; generation < 3; generation++)
        Py_CLEAR(collector->generation[generation]);
}
