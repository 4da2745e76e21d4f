#ifndef KITH_CLINUX_H
#define KITH_CLINUX_H

// Linux calls that Swift's Glibc module does not export, because they need _GNU_SOURCE or live in headers outside it.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/// Opens a non-blocking, close-on-exec event counter. Returns -1 and sets errno on failure. eventfd(2).
static inline int kith_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/// Adds one to an event counter. A counter that is full is readable already, so the result is of no use.
static inline void kith_eventfd_raise(int fd) {
  while (eventfd_write(fd, 1) == -1 && errno == EINTR) {
  }
}

/// Takes an event counter back to zero; does nothing when it is zero.
static inline void kith_eventfd_reset(int fd) {
  eventfd_t count;
  while (eventfd_read(fd, &count) == -1 && errno == EINTR) {
  }
}

/// Opens a non-blocking, close-on-exec descriptor that reads the signals of `mask`. signalfd(2).
static inline int kith_signalfd(const sigset_t *mask) { return signalfd(-1, mask, SFD_NONBLOCK | SFD_CLOEXEC); }

/// Opens a non-blocking, close-on-exec timer on `clock`. timerfd_create(2).
static inline int kith_timerfd(int clock) { return timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC); }

/// Arms a timer descriptor. `absolute` takes `value` as a point in time; `cancel_on_set` reports clock changes as
/// ECANCELED from read. timerfd_settime(2).
static inline int kith_timerfd_settime(int fd, int absolute, int cancel_on_set, const struct itimerspec *value) {
  int flags = (absolute ? TFD_TIMER_ABSTIME : 0) | (cancel_on_set ? TFD_TIMER_CANCEL_ON_SET : 0);
  return timerfd_settime(fd, flags, value, 0);
}

/// Names the calling thread; at most 15 bytes. pthread_setname_np(3).
static inline int kith_name_this_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

/// The kernel's id of the calling thread. gettid(2).
static inline int kith_gettid(void) { return (int)syscall(SYS_gettid); }

/// Asks the name service for records of `name` of `type` (res_nquery(3), class IN), by the settings of resolv.conf(5) but
/// with at most two tries of two seconds a server. Writes the answer as it came (RFC 1035 section 4) and returns its length,
/// which may exceed `size`; -1 when there is none. Blocks.
int kith_name_query(const char *name, int type, unsigned char *answer, int size);

/// A pair of connected stream sockets that no program started later inherits. Returns -1 and sets errno on failure.
/// socketpair(2).
static inline int kith_socketpair(int sockets[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets);
}

/// A descriptor that is readable when the process `pid` has ended. Returns -1 and sets errno on failure. pidfd_open(2).
static inline int kith_pidfd(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// Starts the program at `path` with the environment of this process and no blocked or ignored signals: `stream` is its
/// standard input and output, `errors` its standard error. Returns 0 and sets `pid`, or an error number. posix_spawn(3).
int kith_spawn(const char *path, char *const arguments[], int stream, int errors, pid_t *pid);

/// The event loop that runs on the calling thread, or null.
///
/// A thread-local and not pthread_self(): glibc declares the latter `const`, so an optimiser may carry its value across
/// an `await` that changes threads.
void *kith_current_loop(void);
void kith_set_current_loop(void *loop);

#endif
