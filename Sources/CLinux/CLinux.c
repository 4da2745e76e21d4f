#define _GNU_SOURCE 1

#include "CLinux.h"

#include <arpa/nameser.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <resolv.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <unistd.h>

int kith_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void kith_eventfd_raise(int fd) {
  while (eventfd_write(fd, 1) == -1 && errno == EINTR) {
  }
}

void kith_eventfd_reset(int fd) {
  eventfd_t count;
  while (eventfd_read(fd, &count) == -1 && errno == EINTR) {
  }
}

int kith_timerfd(int clock) { return timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC); }

int kith_timerfd_settime(int fd, int absolute, int cancel_on_set, const struct itimerspec *value) {
  int flags = (absolute ? TFD_TIMER_ABSTIME : 0) | (cancel_on_set ? TFD_TIMER_CANCEL_ON_SET : 0);
  return timerfd_settime(fd, flags, value, 0);
}

int kith_name_this_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int kith_gettid(void) { return (int)syscall(SYS_gettid); }

int kith_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int kith_pidfd(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

static _Thread_local void *current_loop;

// Never inlined, so that the address of the thread-local is computed on the calling thread.
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

int kith_unnamed_file(const char *folder) { return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600); }

int kith_name_file(int fd, const char *path) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int kith_clock_is_synchronized(void) {
  struct timex clock = {.modes = 0};
  int state = adjtimex(&clock);
  if (state < 0) return -1;
  return state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}
