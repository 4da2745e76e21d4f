#include "CPango.h"

#include <dlfcn.h>
#include <stddef.h>

#define MEMBER(type, name, parameters, arguments) type(*name) parameters;
static struct {
  KITH_PANGO_FUNCTIONS(MEMBER)
} library;

const char *kith_load_pango(void) {
  // It depends on the other three, so that their functions are found through it.
  const char *file = "libpangocairo-1.0.so.0";
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return file;
// POSIX has functions in what dlsym(3) returns, which C itself does not know.
#define FIND(type, name, parameters, arguments) \
  *(void **)&library.name = dlsym(handle, #name); \
  if (library.name == NULL) return file;
  KITH_PANGO_FUNCTIONS(FIND)
  return NULL;
}

// Hidden, so that the libraries themselves never call these in place of their own.
#define CALL(type, name, parameters, arguments) \
  type name parameters { return library.name arguments; }
KITH_PANGO_FUNCTIONS(CALL)
