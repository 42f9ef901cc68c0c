#include "pycompat.h"

#include "interp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variant.h"

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

/* Exported by every release, but some static interpreters strip it from what modules can see. */
extern const char *_PyMem_GetCurrentAllocatorName(void) __attribute__((weak));

static const struct {
    const char *word;
    PyMemAllocatorName name;
} interp_allocators[] = {
    {"default", PYMEM_ALLOCATOR_NOT_SET},   {"debug", PYMEM_ALLOCATOR_DEBUG},
    {"malloc", PYMEM_ALLOCATOR_MALLOC},     {"malloc_debug", PYMEM_ALLOCATOR_MALLOC_DEBUG},
#ifdef WITH_PYMALLOC
    {"pymalloc", PYMEM_ALLOCATOR_PYMALLOC}, {"pymalloc_debug", PYMEM_ALLOCATOR_PYMALLOC_DEBUG},
#endif
};

static int interp_find_allocator(const char *word)
{
    int count = sizeof interp_allocators / sizeof interp_allocators[0];

    for (int i = 0; i < count; i++)
        if (strcmp(interp_allocators[i].word, word) == 0)
            return i;
    return -1;
}

bool interp_knows_allocator(const char *allocator)
{
    return interp_find_allocator(allocator) >= 0 || strncmp(allocator, "pymalloc", 8) == 0;
}

const char *interp_refuses_allocator(const char *allocator)
{
    if (interp_find_allocator(allocator) < 0)
        return "this interpreter is built without pymalloc";
    if (GCTAX_FREE_THREADED && strcmp(allocator, "default") != 0 && strcmp(allocator, "debug") != 0)
        return "a free-threaded build works with mimalloc only (allocator default or debug)";
    return NULL;
}

int interp_start(const char *allocator, uint32_t hash_seed, char *why, size_t size)
{
    PyPreConfig preconfig;
    PyConfig config;
    PyStatus status;

    PyPreConfig_InitIsolatedConfig(&preconfig);
    preconfig.allocator = interp_allocators[interp_find_allocator(allocator)].name;
    status = Py_PreInitialize(&preconfig);
    if (PyStatus_Exception(status)) {
        snprintf(why, size, "the interpreter cannot start: %s", status.err_msg);
        return -1;
    }
    PyConfig_InitIsolatedConfig(&config);
    config.use_hash_seed = 1;
    config.hash_seed = hash_seed;
    config.user_site_directory = 0;
    config.site_import = 0;
    config.write_bytecode = 0;
    config.install_signal_handlers = 0;
    config.pathconfig_warnings = 0;
    /* Where the standard library is found from: the worker itself lies elsewhere. */
    status = PyConfig_SetBytesString(&config, &config.program_name, GCTAX_PYTHON_EXECUTABLE);
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.executable, GCTAX_PYTHON_EXECUTABLE);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
        snprintf(why, size, "the interpreter of %s cannot start: %s", GCTAX_PYTHON_EXECUTABLE,
                 status.err_msg == NULL ? "it wants to exit" : status.err_msg);
        return -1;
    }
    return 0;
}

int interp_add_paths(const char *const *directories, size_t count)
{
    PyObject *path = PySys_GetObject("path"); /* borrowed */

    if (path == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "sys.path is gone");
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        PyObject *directory = PyUnicode_DecodeFSDefault(directories[i]);
        int failed = directory == NULL ? -1 : PyList_Insert(path, (Py_ssize_t)i, directory);
        Py_XDECREF(directory);
        if (failed < 0)
            return -1;
    }
    return 0;
}

int interp_add_venv(const char *venv)
{
    char packages[64];
    int failed = -1;
    PyObject *os_path = NULL, *exists = NULL, *site = NULL, *result = NULL;
    PyObject *root = PyUnicode_DecodeFSDefault(venv), *directory = NULL;

    snprintf(packages, sizeof packages, "lib/python%d.%d%s/site-packages", PY_MAJOR_VERSION,
             PY_MINOR_VERSION, GCTAX_FREE_THREADED ? "t" : "");
    if (root == NULL || (directory = PyUnicode_FromFormat("%U/%s", root, packages)) == NULL ||
        (os_path = PyImport_ImportModule("os.path")) == NULL ||
        (exists = PyObject_CallMethod(os_path, "isdir", "O", directory)) == NULL)
        goto finally;
    if (!PyObject_IsTrue(exists)) {
        PyErr_Format(PyExc_ImportError, "--venv %s has no %s: it was made for another interpreter",
                     venv, packages);
        goto finally;
    }
    if ((site = PyImport_ImportModule("site")) == NULL ||
        (result = PyObject_CallMethod(site, "addsitedir", "O", directory)) == NULL)
        goto finally;
    failed = 0;
finally:
    Py_XDECREF(root);
    Py_XDECREF(directory);
    Py_XDECREF(os_path);
    Py_XDECREF(exists);
    Py_XDECREF(site);
    Py_XDECREF(result);
    return failed;
}

int interp_add_site(void)
{
    PyObject *site = PyImport_ImportModule("site");
    PyObject *result = site == NULL ? NULL : PyObject_CallMethod(site, "main", NULL);

    Py_XDECREF(site);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

const struct variant_table *interp_variants(const char *base)
{
    const struct variant_table *table = NULL;
    PyObject *module = NULL;
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    PyObject *directory = PyUnicode_FromFormat("%s/%s", base, GCTAX_EXT_DIR);

    /* On sys.path for this import alone: nothing that lies beside gctax_ext may be found later. */
    if (directory == NULL || path == NULL || PyList_Insert(path, 0, directory) < 0)
        goto finally;
    module = PyImport_ImportModule("gctax_ext");
    if (PyList_SetSlice(path, 0, 1, NULL) < 0 || module == NULL)
        goto finally;
    table = PyCapsule_Import(VARIANT_TABLE_CAPSULE, 0);
    if (table != NULL && table->abi != VARIANT_TABLE_ABI) {
        PyErr_Format(PyExc_ImportError,
                     "%U/gctax_ext is of another build than this worker (%u, not %u)", directory,
                     table->abi, VARIANT_TABLE_ABI);
        table = NULL;
    }
finally:
    Py_XDECREF(directory);
    Py_XDECREF(module); /* sys.modules keeps it */
    return table;
}

/* What the blocks say: the debug allocators fill fresh ones with 0xCD, and pymalloc counts the
 * blocks that it gave out. */
static const char *interp_observe_allocator(void)
{
    PyObject *count = NULL, *function = PySys_GetObject("getallocatedblocks"); /* borrowed */
    unsigned char *block = PyObject_Malloc(16);
    bool debug = block != NULL, pymalloc = false;

    for (int i = 0; i < 16 && block != NULL; i++)
        debug = debug && ((volatile unsigned char *)block)[i] == 0xCD;
    PyObject_Free(block);
    if (GCTAX_FREE_THREADED)
        return debug ? "mimalloc_debug" : "mimalloc";
    if (function != NULL)
        count = PyObject_CallNoArgs(function);
    if (count != NULL)
        pymalloc = PyLong_AsLong(count) > 0;
    Py_XDECREF(count);
    PyErr_Clear();
    return pymalloc ? (debug ? "pymalloc_debug" : "pymalloc") : (debug ? "malloc_debug" : "malloc");
}

const char *interp_active_allocator(void)
{
    const char *name = NULL;

    if (_PyMem_GetCurrentAllocatorName != NULL)
        name = _PyMem_GetCurrentAllocatorName();
    return name != NULL ? name : interp_observe_allocator();
}

const char *interp_version(void)
{
    static char version[32];

    snprintf(version, sizeof version, "%.*s", (int)strcspn(Py_GetVersion(), " "), Py_GetVersion());
    return version;
}

unsigned interp_release(void)
{
    const char *dot = strchr(Py_GetVersion(), '.');
    return dot == NULL ? 0 : (unsigned)strtoul(dot + 1, NULL, 10);
}

const char *interp_build(void)
{
    return GCTAX_PYTHON_BUILD;
}

const char *interp_compiler(void)
{
    static char compiler[128];
    const char *text = Py_GetCompiler();

    text += strspn(text, "\n [");
    snprintf(compiler, sizeof compiler, "%.*s", (int)strcspn(text, "]\n"), text);
    return compiler;
}

const char *interp_libc(void)
{
#if defined(__GLIBC__)
    static char libc[32];
    snprintf(libc, sizeof libc, "glibc %s", gnu_get_libc_version());
    return libc;
#else
    return "";
#endif
}

bool interp_free_threaded(void)
{
    return GCTAX_FREE_THREADED;
}

bool interp_debug(void)
{
    return PySys_GetObject("gettotalrefcount") != NULL;
}
