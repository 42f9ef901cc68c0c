#include "pycompat.h"

#include "probe_lifetime.h"
#include "rule.h"

#include <string.h>

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_lifetime);
    if (result == NULL)
        return -1;
    if (strstr(result->end.output, "already tracked") != NULL &&
        (rule_ended(at, result, "making") || rule_ended(at, result, "destroying")))
        return 0;
    return result->type.known ? rule_ok(at) : rule_unseen(at, result, "no instance was made");
}

const struct rule rule_track_once = {
    .judge = judge,
    .needs_gc = true,
    .death = 1,
    .explained_by = "gc-allocator",
};
