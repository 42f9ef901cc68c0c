/* What a row of variants.def says of a family. Knows nothing of Python: the driver, the worker and
 * gctax_ext all read the table through it. */
#ifndef GCTAX_VARIANT_ROW_H
#define GCTAX_VARIANT_ROW_H

#include <stdio.h>
#include <string.h>

/* The numbers of pointer fields that a family with sizes comes in: as the text of a row's `sizes`,
 * and as X(COUNT, …) for each. */
#define VARIANT_SIZES "0,1,2,4,8,16,32,64"
#define VARIANT_EACH_SIZE(X, ...)                                                                  \
    X(0, ##__VA_ARGS__)                                                                            \
    X(1, ##__VA_ARGS__)                                                                            \
    X(2, ##__VA_ARGS__)                                                                            \
    X(4, ##__VA_ARGS__)                                                                            \
    X(8, ##__VA_ARGS__)                                                                            \
    X(16, ##__VA_ARGS__)                                                                           \
    X(32, ##__VA_ARGS__)                                                                           \
    X(64, ##__VA_ARGS__)
/* The numbers of items of families that read theirs from the instance. */
#define VARIANT_LONG_SIZES "128,256,512,1024"
#define VARIANT_ITEM_SIZES VARIANT_SIZES "," VARIANT_LONG_SIZES
#define VARIANT_SIZE_COUNT 12 /* the longest of these lists */

/* The traits, X(member, base): a row that leaves a member out has the value `base`. */
#define VARIANT_EACH_TRAIT(X)                                                                      \
    X(kind, "heap")                                                                                \
    X(collector, "yes")                                                                            \
    X(tracking, "birth")                                                                           \
    X(finalizer, "none")                                                                           \
    X(dict, "none")                                                                                \
    X(weakref, "none")                                                                             \
    X(vector, "none")                                                                              \
    X(dealloc, "plain")                                                                            \
    X(construct, "new")                                                                            \
    X(inherit, "none")                                                                             \
    X(content, "pointers")

struct variant_row {
    const char *family;
    const char *sizes; /* VARIANT_SIZES or another list; NULL: one variant, named as its family */
    const char *name;  /* of a variant of a family with sizes, * standing for the size; NULL: the
                          family's and the size */
    int fields;        /* pointer fields of a family without sizes */
    int since;         /* minor number of the first CPython 3 release it exists in; 0: 9 */
    const char *twin;  /* variant that differs in `axis` alone; * stands for the size */
    const char *axis;  /* the one member below in which the twin differs */
    const char *kind;  /* heap (default), static, immutable; of a Python subclass its base's */
    const char *collector; /* yes (default: traverse and clear), traverse (no clear), no; subclass:
                              a Python subclass has it, which cannot show what its base holds */
    const char *tracking;  /* birth (default: tp_alloc), hand, lazy, never */
    const char *finalizer; /* none (default), tp_finalize, resurrect (a tp_finalize that brings the
                              instance back, once), __del__ (in Python) */
    const char *dict;      /* none (default), managed, dictoffset */
    const char *weakref;   /* none (default), managed, weaklistoffset */
    const char
        *vector; /* none (default), itemsize, newvar, resize, extradata, itematend, typedata */
    const char *dealloc;   /* plain (default), trashcan, freelist */
    const char *construct; /* new (default: made by tp_alloc, tp_new for Python alone); made by a
                              call of the type: call (tp_new), new+init, vectorcall */
    const char *inherit;   /* none (default), c, python (dict and weak references), python-slots */
    const char *content;   /* pointers (default); bytes: as many bytes that hold no reference */
    /* The ids of the rules that a contract checker must not pass the type on, proven broken or
     * suspect, comma-separated; NULL: none. Those of the type itself, not of what is derived from
     * it. needs-gc: it can hold what the collector does not see. heap-type-no-gc: its instances
     * hold their type, unseen as well. */
    const char *expect;
    const char *expect_empty; /* the same at size 0, which can hold nothing; NULL: as `expect` */
    const char *doc;          /* one line: what the type is */
};

/* Writes `pattern` with `fields` in place of its *. */
static inline void variant_row_pattern(const char *pattern, int fields, char *name, size_t size)
{
    const char *star = strchr(pattern, '*');
    if (star == NULL)
        snprintf(name, size, "%s", pattern);
    else
        snprintf(name, size, "%.*s%d%s", (int)(star - pattern), pattern, fields, star + 1);
}

static inline const char *variant_row_expect(const struct variant_row *row, int fields)
{
    return fields == 0 && row->expect_empty != NULL ? row->expect_empty : row->expect;
}

/* Writes the name of the row's variant of that size. */
static inline void variant_row_name(const struct variant_row *row, int fields, char *name,
                                    size_t size)
{
    if (row->sizes != NULL && row->name == NULL)
        snprintf(name, size, "%s%d", row->family, fields);
    else
        variant_row_pattern(row->sizes != NULL ? row->name : row->family, fields, name, size);
}

#endif
