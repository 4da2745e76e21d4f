#include "CLinux.h"

#include <arpa/nameser.h>
#include <resolv.h>
#include <spawn.h>
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

int kith_spawn(const char *path, char *const arguments[], int stream, int errors, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int result = posix_spawn_file_actions_init(&actions);
  if (result != 0) return result;
  result = posix_spawnattr_init(&attributes);
  if (result == 0) {
    sigset_t signals;
    sigfillset(&signals);
    result = posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &signals);
    if (result == 0) result = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, stream, 0);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, stream, 1);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, errors, 2);
    if (result == 0) result = posix_spawn(pid, path, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return result;
}
