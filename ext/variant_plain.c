/* plain: pointer fields without HAVE_GC. Reference counting alone keeps and frees what it holds,
 * and a cycle through it is never found. */
#include "variant_common.h"

#define DEFINE(COUNT)                                                                              \
    static void dealloc_##COUNT(PyObject *self)                                                    \
    {                                                                                              \
        variant_clear(variant_fields(self), COUNT);                                                \
        variant_free(self);                                                                        \
    }
VARIANT_EACH_SIZE(DEFINE)

#define CODE(COUNT) {.fields = COUNT, .dealloc = dealloc_##COUNT},
static const struct variant_code code[] = {VARIANT_EACH_SIZE(CODE)};

const struct variant_family variant_family_plain = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .set = variant_fields_set,
    .get = variant_fields_get,
};
