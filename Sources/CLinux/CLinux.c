#include "CLinux.h"

static _Thread_local void *current_loop;

// Never inlined, so that the address of the thread-local is looked up on the thread that asks.
__attribute__((noinline)) void *kith_current_loop(void) { return current_loop; }

__attribute__((noinline)) void kith_set_current_loop(void *loop) { current_loop = loop; }
