#include "pycompat.h"

#include "rule.h"

/* Fact "turned_gil_on": whether the import of the module turned the GIL on (True, False), on a
 * free-threaded build; missing where that is not known. */
static int judge(struct rule_case *at)
{
    if (!GCTAX_FREE_THREADED)
        return rule_untested(at, "this build always has a GIL");
    PyObject *turned_on = rule_fact(at, "turned_gil_on");
    if (turned_on == NULL)
        return rule_untested(at, "it is not known what its import did to the GIL");
    if (turned_on != Py_True)
        return rule_ok(at);
    rule_done(at, "the module is imported");
    rule_seen(at, "the GIL is on from then on");
    rule_expected(at, "Py_mod_gil with Py_MOD_GIL_NOT_USED, where it is so");
    return rule_suspect(at, RULE_SHOWN, NULL);
}

const struct rule rule_mod_gil = {.judge = judge, .once = true};
