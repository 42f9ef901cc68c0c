/* The least program that needs what a worker needs of an interpreter: headers, and all of
 * libpython. */
#include <Python.h>

int main(void)
{
    Py_Initialize();
    return Py_FinalizeEx() < 0;
}
