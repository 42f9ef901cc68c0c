/* Compiled into workers that are built with AddressSanitizer. CPython leaves memory behind at exit
 * (static types, interned strings), which is no fault of a worker: leaks are not looked for there.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
