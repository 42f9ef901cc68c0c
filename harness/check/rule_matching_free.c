#include "pycompat.h"

#include "probe_blocks.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_blocks);
    if (result == NULL)
        return -1;
    const struct probe_blocks *seen = RULE_SEEN(blocks, result);
    rule_done(at, "instances are made and destroyed under a watched allocator");
    if (seen->freed_inside > 0) {
        rule_seen(
            at,
            "%lld addresses are given back that lie inside a block, %lld bytes behind its start",
            (long long)seen->freed_inside, (long long)seen->freed_inside_offset);
        rule_expected(at,
                      "the start of a block: the type's tp_free knows what lies before an object");
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    if (seen->freed_elsewhere > 0) {
        rule_seen(at,
                  "%lld blocks are given back to another allocator than gave them: %lld of "
                  "PyMem_Malloc() "
                  "to PyObject_Free(), the rest the other way",
                  (long long)seen->freed_elsewhere, (long long)seen->freed_by_object);
        rule_expected(at, "PyMem_Free() for PyMem_Malloc(), PyObject_Free() for PyObject_Malloc()");
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    if (seen->freed_twice > 0) {
        rule_seen(at, "%lld blocks are given back twice", (long long)seen->freed_twice);
        rule_expected(at, "each block once");
        return rule_breach(at, RULE_COUNTED, NULL);
    }
    return RULE_KNOWN(seen->instances) ? rule_ok(at)
                                       : rule_unseen(at, result, "no instance was destroyed");
}

const struct rule rule_matching_free = {
    .judge = judge,
    .corrupts = true,
    .explained_by = "gc-allocator",
};
