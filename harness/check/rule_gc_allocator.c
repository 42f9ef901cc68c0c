#include "pycompat.h"

#include "probe_blocks.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_blocks);
    if (result == NULL)
        return -1;
    const struct probe_blocks *seen = RULE_SEEN(blocks, result);
    if (GCTAX_GC_HEAD_BYTES == 0)
        return rule_untested(at, "this build keeps nothing before an object: it is not tracked");
    if (!RULE_KNOWN(seen->offset))
        return rule_unseen(at, result,
                           "no instance lies in a block of the interpreter's allocators");
    if (seen->offset >= seen->head_bytes)
        return rule_ok(at);
    rule_done(at, "an instance is made under a watched allocator");
    rule_seen(at, "it begins %lld bytes behind the start of its block", (long long)seen->offset);
    rule_expected(at, "%lld bytes for the collector before it: PyObject_GC_New() or tp_alloc",
                  (long long)seen->head_bytes);
    return rule_breach(at, RULE_COUNTED, NULL);
}

const struct rule rule_gc_allocator = {.judge = judge, .needs_gc = true, .corrupts = true};
