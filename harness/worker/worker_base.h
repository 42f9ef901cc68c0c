/* Where the worker's own program lies: gctax_ext is found from there. Knows nothing of Python. */
#ifndef GCTAX_WORKER_BASE_H
#define GCTAX_WORKER_BASE_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The directory of this program, links resolved, into base (of PATH_MAX bytes). 0, or -1 with
 * errno. Without /proc (a bare chroot) the path that it was started by has to do. */
static inline int worker_base(char *base)
{
    ssize_t length = readlink("/proc/self/exe", base, PATH_MAX - 1);

    if (length >= 0) {
        base[length] = '\0';
    } else {
        const char *path = (const char *)getauxval(AT_EXECFN);
        if (path == NULL || realpath(path, base) == NULL)
            return -1;
    }
    *strrchr(base, '/') = '\0';
    return 0;
}

#endif
