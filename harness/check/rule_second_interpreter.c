#include "pycompat.h"

#include "probe_interpreter.h"
#include "rule.h"

static int judge(struct rule_case *at)
{
    const struct probe_result *result = rule_probe(at, &probe_interpreter);
    if (result == NULL)
        return -1;
    const struct probe_interpreter *seen = RULE_SEEN(interpreter, result);
    if (rule_ended(at, result, "making an instance in") || rule_ended(at, result, "using the type"))
        return 0;
    if (!RULE_KNOWN(seen->started))
        return rule_unseen(at, result, "no source that makes an instance elsewhere");
    if (seen->started == 0)
        return rule_untested(at, "no second interpreter could be started");
    bool own_gil = seen->own_gil_same_type == 1;
    if (own_gil || seen->same_type == 1) {
        rule_done(at,
                  "the module is imported in two interpreters%s, and an instance is made in each",
                  own_gil ? ", each with a GIL of its own" : "");
        rule_seen(at, "both instances are of one heap type object, which changes under both");
        rule_expected(at, "a type for each interpreter, or a refusal to be imported twice");
        return own_gil ? rule_breach(at, RULE_SHOWN, NULL) : rule_suspect(at, RULE_SHOWN, NULL);
    }
    if (seen->made == 0 && seen->own_gil_made != 1)
        return rule_untested(at, "its module refuses to be imported in a second interpreter");
    const int64_t ended = seen->own_gil_made == 1 ? seen->own_gil_ended : seen->ended;
    return RULE_KNOWN(ended) ? rule_ok(at) : rule_unseen(at, result, "it did not come to its end");
}

const struct rule rule_second_interpreter = {
    .judge = judge,
    .once = true,
    .death = 95,
    .explained_by = "shutdown-crash",
};
