/* gc_immutable: gc1 whose type cannot be changed (Py_TPFLAGS_IMMUTABLETYPE). */
#include "variant_common.h"

VARIANT_SHOW_AND_DEALLOC(1)

static const struct variant_code code[] = {VARIANT_CODE(1)};

const struct variant_family variant_family_gc_immutable = {
    .code = code,
    .code_count = 1,
    .head_bytes = sizeof(struct variant_object),
    .set = variant_fields_set,
    .get = variant_fields_get,
};
