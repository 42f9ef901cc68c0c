/* script: a Python program is the work. The cell's `script` is FILE and its arguments; a batch runs
 * FILE once as __main__, with a fresh namespace, sys.argv, its folder first on sys.path, and what
 * `import site` adds, as the interpreter does. It is compiled outside the clock. An operation is
 * one run. Nothing is warmed up, and there is no null target: the first run is the one that is
 * timed, and later passes run the program again in the same process, with what it imported still
 * there.
 *
 * gc.collect is replaced while the program runs, by a function that calls the real one and marks
 * what it does as explicit: that is how the program's own collections are told from automatic ones.
 * gc.disable() and gc.set_threshold() in a program have their way.
 *
 * sys.stdout is the null device; what is written to descriptor 1 goes to standard error. An
 * exception, or an exit with anything but 0 or None, is an error of the cell, with its last line.
 * Threads that are no daemons are waited for. What the program does at exit (atexit) is not run.
 *
 * The garbage pass runs it once more with a timer of CPU time (SIGPROF): at each tick the program
 * is forked, and the child collects with gc.DEBUG_SAVEALL and weighs what it found: sys.getsizeof()
 * of each object, and of untracked objects they refer to (strings, buffers) where nothing else
 * does. Finalizers run in the child too: a program whose finalizers reach beyond its memory (that
 * delete files, say) sees them run early. Samples come every 20 ms of CPU time, after each 20 of
 * them half as often, never closer than one takes; the last is taken at the end of the program. */
#include "cell.h"
#include "interp.h"
#include "record.h"
#include "work.h"
#include "work_slots.h"

#include <stdlib.h>
#include <string.h>

static const char script_helpers[] =
    "import _signal, gc, posix, sys, time\n"
    "\n"
    "class Failed(Exception):\n"
    "    pass\n"
    "\n"
    "def load(argv):\n"
    "    with open(argv[0], 'rb') as file:\n"
    "        code = compile(file.read(), argv[0], 'exec')\n"
    "    sys.argv = argv\n"
    "    sys.path.insert(0, argv[0].rpartition('/')[0] or '.')\n"
    "    return code\n"
    "\n"
    "def run(code, path, collect):\n"
    "    main = type(sys)('__main__')\n"
    "    main.__file__ = path\n"
    "    main.__builtins__ = __builtins__\n"
    "    real, out, before = gc.collect, sys.stdout, sys.modules['__main__']\n"
    "    with open('/dev/null', 'w') as null:\n"
    "        gc.collect, sys.stdout, sys.modules['__main__'] = collect, null, main\n"
    "        try:\n"
    "            exec(code, main.__dict__)\n"
    "            if 'threading' in sys.modules:\n"
    "                threading = sys.modules['threading']\n"
    "                for thread in threading.enumerate():\n"
    "                    if thread is not threading.current_thread() and not thread.daemon:\n"
    "                        thread.join()\n"
    "        except SystemExit as end:\n"
    "            if end.code is not None and end.code != 0:\n"
    "                raise Failed(f'the script exited with {end.code}') from None\n"
    "        finally:\n"
    "            gc.collect, sys.stdout, sys.modules['__main__'] = real, out, before\n"
    "    return main\n"
    "\n"
    "def size(thing):\n"
    "    try:\n"
    "        return sys.getsizeof(thing)\n"
    "    except Exception:\n"
    "        return 0\n"
    "\n"
    "def weigh(collect):\n"
    "    gc.disable()\n"
    "    gc.callbacks.clear()\n"
    "    gc.set_debug(gc.DEBUG_SAVEALL)\n"
    "    gc.garbage.clear()\n"
    "    collect()\n"
    "    total, owned, count = 0, {}, len(gc.garbage)\n"
    "    for holder in gc.garbage:\n"
    "        total += size(holder)\n"
    "        for thing in gc.get_referents(holder):\n"
    "            if not gc.is_tracked(thing):\n"
    "                owned.setdefault(id(thing), [thing, 0])[1] += 1\n"
    "    holder = thing = None\n"
    "    for entry in owned.values():\n"
    "        if sys.getrefcount(entry[0]) <= entry[1] + 2:\n"
    "            total += size(entry[0])\n"
    "    return count, total\n"
    "\n"
    "def sample(collect):\n"
    "    reader, writer = posix.pipe()\n"
    "    child = posix.fork()\n"
    "    if child == 0:\n"
    "        try:\n"
    "            _signal.setitimer(_signal.ITIMER_PROF, 0)\n"
    "            _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)\n"
    "            _signal.alarm(60)\n"
    "            posix.write(writer, b'%d %d' % weigh(collect))\n"
    "        finally:\n"
    "            posix._exit(0)\n"
    "    posix.close(writer)\n"
    "    said = posix.read(reader, 64)\n"
    "    posix.close(reader)\n"
    "    posix.waitpid(child, 0)\n"
    "    return tuple(map(int, said.split())) if said else None\n"
    "\n"
    "def watch(code, path, collect):\n"
    "    real, found, interval = gc.collect, [], 0.02\n"
    "    def tick(*ignored):\n"
    "        nonlocal interval\n"
    "        _signal.setitimer(_signal.ITIMER_PROF, 0)\n"
    "        began = time.monotonic()\n"
    "        found.append(sample(real))\n"
    "        if len(found) % 20 == 0:\n"
    "            interval *= 2\n"
    "        rest = max(interval, time.monotonic() - began)\n"
    "        _signal.setitimer(_signal.ITIMER_PROF, rest)\n"
    "    before = _signal.signal(_signal.SIGPROF, tick)\n"
    "    _signal.setitimer(_signal.ITIMER_PROF, interval)\n"
    "    try:\n"
    "        main = run(code, path, collect)\n"
    "    finally:\n"
    "        _signal.setitimer(_signal.ITIMER_PROF, 0)\n"
    "        _signal.signal(_signal.SIGPROF, before)\n"
    "    found.append(sample(real))\n"
    "    found = [one for one in found if one]\n"
    "    return (len(found), max((one[0] for one in found), default=0),\n"
    "            max((one[1] for one in found), default=0))\n";

struct script {
    PyObject *helpers, *code, *path, *collect; /* owned: a namespace, … */
    PyObject *main;                            /* owned: the module of the last run, or NULL */
};

/* The words of the cell's `script`: a new list, or NULL with an exception. */
static PyObject *script_words(const char *text)
{
    PyObject *list = PyList_New(0);
    char *word = malloc(strlen(text) + 1);
    if (word == NULL)
        PyErr_NoMemory();
    for (bool more = true; more && list != NULL && word != NULL;) {
        size_t length = 0;
        for (; *text != ' ' && *text != '\0'; text++) {
            char letter = *text;
            if (letter == '\\' && text[1] != '\0') {
                letter = *++text;
                if (letter == 's')
                    letter = ' ';
            }
            word[length++] = letter;
        }
        more = *text++ == ' ';
        word[length] = '\0';
        PyObject *decoded = PyUnicode_DecodeFSDefault(word);
        if (decoded == NULL || PyList_Append(list, decoded) < 0)
            Py_CLEAR(list);
        Py_XDECREF(decoded);
    }
    if (word == NULL)
        Py_CLEAR(list);
    free(word);
    return list;
}

/* What stands in place of gc.collect: the same, marked as explicit. */
static PyObject *script_collect(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct work *work = PyCapsule_GetPointer(self, NULL);
    struct collector *collector = work->collector;
    work->explicit_collections++;
    collector->explicit_now = true;
    PyObject *result = PyObject_Call(collector->collect, args, kwargs);
    collector->explicit_now = false;
    return result;
}

static PyObject *script_wrap(struct work *work)
{
    static PyMethodDef method = {"collect", (PyCFunction)(void (*)(void))script_collect,
                                 METH_VARARGS | METH_KEYWORDS, NULL};
    PyObject *self = PyCapsule_New(work, NULL, NULL);
    PyObject *function = self == NULL ? NULL : PyCFunction_New(&method, self);
    Py_XDECREF(self);
    return function;
}

static PyObject *script_scope(void)
{
    PyObject *scope = PyDict_New(), *ran = NULL;
    if (scope != NULL && PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()) == 0)
        ran = PyRun_String(script_helpers, Py_file_input, scope, scope);
    if (ran == NULL)
        Py_CLEAR(scope);
    Py_XDECREF(ran);
    return scope;
}

static size_t script_slots(const struct cell *Py_UNUSED(cell))
{
    return 0;
}

static int script_start(struct work *work)
{
    work_slots_begin(work);
    struct script *script = calloc(1, sizeof *script);
    work->state = script;
    if (script == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    if (PyDict_GetItemString(modules, "site") == NULL && interp_add_site() < 0)
        return -1;
    PyObject *words = script_words(work->cell->script);
    script->helpers = words == NULL ? NULL : script_scope();
    script->collect = script->helpers == NULL ? NULL : script_wrap(work);
    if (script->collect != NULL) {
        script->path = Py_NewRef(PyList_GetItem(words, 0));
        script->code = PyObject_CallFunctionObjArgs(PyDict_GetItemString(script->helpers, "load"),
                                                    words, NULL);
    }
    Py_XDECREF(words);
    return script->code == NULL ? -1 : 0;
}

/* Calls run() or watch(): a new reference, or NULL with an exception. */
static PyObject *script_call(const struct script *script, const char *function)
{
    return PyObject_CallFunctionObjArgs(PyDict_GetItemString(script->helpers, function),
                                        script->code, script->path, script->collect, NULL);
}

static int script_batch(struct work *work, struct laps *laps)
{
    struct script *script = work->state;
    Py_CLEAR(script->main);
    uint64_t begin = stopwatch_begin(work->stopwatch);
    script->main = script_call(script, "run");
    uint64_t end = stopwatch_end(work->stopwatch);
    if (script->main == NULL)
        return -1;
    laps->op.ticks += end - begin;
    laps->op.ops++;
    return 0;
}

static int script_garbage(struct work *work, struct record *row)
{
    PyObject *found = script_call(work->state, "watch");
    unsigned long long samples, objects, bytes;
    int read = found != NULL && PyArg_ParseTuple(found, "KKK", &samples, &objects, &bytes);
    Py_XDECREF(found);
    if (!read)
        return -1;
    record_set_count(row, CELLS_script_garbage_samples, samples);
    record_set_count(row, CELLS_script_garbage_objects, objects);
    record_set_real(row, CELLS_script_garbage_bytes, (double)bytes);
    return 0;
}

/* The functions of the helpers hold their namespace: it is emptied by hand. */
static void script_stop(struct work *work)
{
    struct script *script = work->state;
    if (script == NULL)
        return;
    if (script->helpers != NULL)
        PyDict_Clear(script->helpers);
    Py_CLEAR(script->helpers);
    Py_CLEAR(script->code);
    Py_CLEAR(script->path);
    Py_CLEAR(script->collect);
    Py_CLEAR(script->main);
    free(script);
    work->state = NULL;
}

const struct workload workload_script = {
    .row = &workload_row_script,
    .slots = script_slots,
    .start = script_start,
    .batch = script_batch,
    .garbage = script_garbage,
    .stop = script_stop,
};
