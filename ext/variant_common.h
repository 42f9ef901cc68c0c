/* What the families share: layouts, the loops over pointer fields, the end of every tp_dealloc, and
 * the making of a type from its row. A family file includes this, instantiates its functions for
 * each size and ends in its descriptor.
 *
 * The inline functions are here and not in variant_common.c because a real type's dealloc calls
 * nobody to drop its own fields: with `count` a constant they compile to what one writes by hand,
 * and twins differ in nothing but their axis. */
#ifndef GCTAX_VARIANT_COMMON_H
#define GCTAX_VARIANT_COMMON_H

#include "pycompat.h"

#include "variant.h"

/* An instance whose pointer fields are part of the struct, and one whose fields are its items. */
struct variant_object {
    PyObject_HEAD
    PyObject *field[];
};

struct variant_var_object {
    PyObject_VAR_HEAD
    PyObject *item[];
};

#define VARIANT_INLINE static inline __attribute__((always_inline))

VARIANT_INLINE PyObject **variant_fields(PyObject *self)
{
    return ((struct variant_object *)self)->field;
}

VARIANT_INLINE PyObject **variant_items(PyObject *self)
{
    return ((struct variant_var_object *)self)->item;
}

/* The fields alone: all that an instance of a static type has to visit. */
VARIANT_INLINE int variant_visit_fields(PyObject **field, Py_ssize_t count, visitproc visit,
                                        void *arg)
{
    for (Py_ssize_t i = 0; i < count; i++)
        Py_VISIT(field[i]);
    return 0;
}

/* The body of tp_traverse: the fields, then the type, which an instance of a heap type owns. */
VARIANT_INLINE int variant_visit(PyObject *self, PyObject **field, Py_ssize_t count,
                                 visitproc visit, void *arg)
{
    int stop = variant_visit_fields(field, count, visit, arg);
    if (stop != 0)
        return stop;
    Py_VISIT(Py_TYPE(self));
    return 0;
}

/* The body of tp_clear: each field is NULL before what it held is released. */
VARIANT_INLINE int variant_clear(PyObject **field, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        Py_CLEAR(field[i]);
    return 0;
}

/* The fields of an instance whose memory came without zeros. */
VARIANT_INLINE void variant_empty(PyObject **field, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        field[i] = NULL;
}

/* Is it the type that was made here, and no subclass in Python? PyObject_GC_New() and its like are
 * for the former alone: they leave uninitialised what a subclass adds, on 3.13 its attributes, too.
 * What subclasses are made by is their tp_alloc. */
VARIANT_INLINE bool variant_is_own_type(PyTypeObject *type)
{
    return ((PyHeapTypeObject *)type)->ht_module != NULL;
}

/* Instances destroyed in this process, of all families. */
extern uint64_t variant_destroyed __attribute__((visibility("hidden")));

/* The end of the tp_dealloc of a static type, to which its instances hold no reference: counts the
 * instance and frees it by its type's own tp_free (a subclass may have another one than its base).
 */
VARIANT_INLINE void variant_free_memory(PyObject *self)
{
    GCTAX_COUNT(variant_destroyed);
    Py_TYPE(self)->tp_free(self);
}

/* The end of every other: releases the reference that the instance held to its heap type, too. */
VARIANT_INLINE void variant_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    variant_free_memory(self);
    Py_DECREF(type);
}

/* tp_traverse and tp_clear of a heap type with COUNT pointer fields and nothing else. */
#define VARIANT_SHOW(COUNT)                                                                        \
    static int traverse_##COUNT(PyObject *self, visitproc visit, void *arg)                        \
    {                                                                                              \
        return variant_visit(self, variant_fields(self), COUNT, visit, arg);                       \
    }                                                                                              \
    static int clear_##COUNT(PyObject *self)                                                       \
    {                                                                                              \
        return variant_clear(variant_fields(self), COUNT);                                         \
    }

/* The same and their tp_dealloc: the functions of the base point. */
#define VARIANT_SHOW_AND_DEALLOC(COUNT)                                                            \
    VARIANT_SHOW(COUNT)                                                                            \
    static void dealloc_##COUNT(PyObject *self)                                                    \
    {                                                                                              \
        PyObject_GC_UnTrack(self);                                                                 \
        variant_clear(variant_fields(self), COUNT);                                                \
        variant_free(self);                                                                        \
    }

/* Their `struct variant_code`. */
#define VARIANT_CODE(COUNT)                                                                        \
    {.fields = COUNT,                                                                              \
     .dealloc = dealloc_##COUNT,                                                                   \
     .traverse = traverse_##COUNT,                                                                 \
     .clear = clear_##COUNT},

/* What families keep in the state of their module, which begins with it. */
enum { VARIANT_FREELIST_LENGTH = 64 };
struct variant_state {
    struct variant_freelist {
        gctax_mutex lock;
        bool closed; /* the module is being cleared: nothing more is kept */
        int count;
        PyObject *object[VARIANT_FREELIST_LENGTH]; /* untracked, without references */
    } freelist;
};

/* variant_family.set and .get for both layouts. */
int variant_fields_set(PyObject *self, int field, PyObject *value);
PyObject *variant_fields_get(PyObject *self, int field);
int variant_items_set(PyObject *self, int field, PyObject *value);
PyObject *variant_items_get(PyObject *self, int field);
/* variant_family.create of a type with items. */
PyObject *variant_items_create(PyTypeObject *type, int fields);
/* The same of a type that is made by a call without arguments. */
PyObject *variant_call_create(PyTypeObject *type, int fields);

/* The default of variant_family.make_type. */
PyTypeObject *variant_make_type(PyObject *module, const struct variant *variant, const char *doc);

/* The same with a metaclass (from 3.12 on, else NULL) and bases (NULL: object). */
PyTypeObject *variant_make_subtype(PyObject *module, const struct variant *variant, const char *doc,
                                   PyTypeObject *metaclass, PyObject *bases);

/* The static type `type`, made from all that stands in `variant` when it is first asked for (new
 * reference), or NULL with an exception. All copies of the module share it. */
PyTypeObject *variant_make_static(PyTypeObject *type, const struct variant *variant,
                                  const char *doc);

/* A subclass of the variant `base`, made as a class statement with that body makes it (new
 * reference), or NULL with an exception. */
PyTypeObject *variant_make_python(PyObject *module, const struct variant *variant, const char *doc,
                                  const char *base, const char *body);

/* Bytes of an instance's own block as sys.getsizeof() counts them: GC head, pre-header, struct and
 * items. */
size_t variant_bytes(const struct variant *variant);

/* Pointer fields that get() reaches: none where the family can hold nothing. */
VARIANT_INLINE int variant_fields_held(const struct variant *variant)
{
    return variant->family->get != NULL ? variant->fields : 0;
}

/* tp_new of every variant: NAME(*payloads) puts the payloads into the first fields in order. */
PyObject *variant_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* The variant that `type` is or is derived from (borrowed from the module's state), or NULL with a
 * TypeError. Defined by the module. */
const struct variant *variant_of(PyTypeObject *type);

/* The variant of that name, whose type the module has made by now (borrowed from its state), or
 * NULL with a SystemError. Defined by the module. */
const struct variant *variant_find(PyObject *module, const char *name);

#endif
