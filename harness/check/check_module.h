/* The functions of gctax_probe that check a type. Include pycompat.h first. */
#ifndef GCTAX_CHECK_MODULE_H
#define GCTAX_CHECK_MODULE_H

/* check(forms, facts=None, seconds=20.0, memory_bytes=2**30) -> [{…}, …], a dict for each rule.
 *
 * A form is a tuple (name, make, slots, destroyed): the type itself first, then its Python
 * subclasses; make, slots and destroyed as for a probe. Facts are what probes say they need, and
 * "rules": ids of those to judge, with the rules that explain them; all, where there is none; and
 * "frozen", anything: the caller has called gc.freeze(), and will not have it undone. */
PyObject *check_module_check(PyObject *module, PyObject *args, PyObject *kwargs);

/* rules() -> [{…}, …], the rows of rules.def. */
PyObject *check_module_rules(PyObject *module, PyObject *unused);

/* cases() -> {name: (rule, verdict)}, the names that reports of such faults use. */
PyObject *check_module_cases(PyObject *module, PyObject *unused);

#define CHECK_METHODS                                                                              \
    {"check", (PyCFunction)(void (*)(void))check_module_check, METH_VARARGS | METH_KEYWORDS,       \
     PyDoc_STR("check(forms, facts=None, seconds=20.0, memory_bytes=2**30)\n--\n\n"                \
               "Verdicts: a dict for each rule of the collector's contract.")},                    \
        {"rules", check_module_rules, METH_NOARGS,                                                 \
         PyDoc_STR("rules()\n--\n\nThe rules: a dict for each.")},                                 \
        {"cases", check_module_cases, METH_NOARGS,                                                 \
         PyDoc_STR("cases()\n--\n\n{name: (rule, verdict)} of the kinds that reports name.")},

#endif
