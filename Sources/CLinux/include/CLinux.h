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
#include <sys/types.h>
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

/// How a program is started by `kith_spawn`.
struct kith_child {
  /// Absolute; there is no search.
  const char *path;
  /// Ended by null, the first one the name of the program.
  char *const *arguments;
  /// Ended by null.
  char *const *environment;
  /// Where it works.
  const char *directory;
  /// What become its standard input, output and error. It gets no other descriptor.
  int input, output, errors;
  /// Bytes of address space, RLIMIT_AS; 0 = no limit.
  uint64_t memory;
  /// Bytes of a file that it writes, RLIMIT_FSIZE; 0 = no limit.
  uint64_t file_size;
  /// Absolute, -20 to 19.
  int niceness;
};

/// Starts a program in a process group of its own, as its leader, with the signals as they are by default. It cannot gain
/// privileges, leaves no core dump, makes files for its owner alone, and is killed when the calling thread ends.
///
/// Returns its id when it was executed. Else returns -1, and sets errno to why it was not, and `step` to the name of the
/// call that failed.
pid_t kith_spawn(const struct kith_child *child, const char **step);

/// Opens a descriptor that is readable when the process has ended. pidfd_open(2).
static inline int kith_pidfd(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// Opens a file of memory alone. memfd_create(2).
int kith_memory_file(void);

/// The event loop that runs on the calling thread, or null.
///
/// A thread-local and not pthread_self(): glibc declares the latter `const`, so an optimiser may carry its value across
/// an `await` that changes threads.
void *kith_current_loop(void);
void kith_set_current_loop(void *loop);

#endif
