/* gc: pointer fields with HAVE_GC, the base point that all other families are compared with. */
#include "variant_common.h"

VARIANT_EACH_SIZE(VARIANT_SHOW_AND_DEALLOC)

static const struct variant_code code[] = {VARIANT_EACH_SIZE(VARIANT_CODE)};

const struct variant_family variant_family_gc = {
    .code = code,
    .code_count = sizeof code / sizeof *code,
    .head_bytes = sizeof(struct variant_object),
    .set = variant_fields_set,
    .get = variant_fields_get,
};
