#include "CLinux.h"

#include <arpa/nameser.h>
#include <resolv.h>
#include <string.h>

static _Thread_local void *current_loop;

// Never inlined, so that the address of the thread-local is looked up on the thread that asks.
__attribute__((noinline)) void *kith_current_loop(void) { return current_loop; }

__attribute__((noinline)) void kith_set_current_loop(void *loop) { current_loop = loop; }

int kith_name_query(const char *name, int type, unsigned char *answer, int size) {
  struct __res_state state;
  memset(&state, 0, sizeof state);
  if (res_ninit(&state) != 0) {
    return -1;
  }
  state.retrans = 2;
  state.retry = 2;
  int length = res_nquery(&state, name, ns_c_in, type, answer, size);
  res_nclose(&state);
  return length;
}
