#ifndef KITH_CLINUX_H
#define KITH_CLINUX_H

// Linux calls that Swift's Glibc module does not export, because they need _GNU_SOURCE or live in headers outside it.
//
// This header itself does without _GNU_SOURCE: with it the C library names members of its structures otherwise than in
// Swift's Glibc module, and a compiler that reads both definitions of one type refuses them.

#include <malloc.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/// Opens a non-blocking, close-on-exec event counter. Returns -1 and sets errno on failure. eventfd(2).
int kith_eventfd(void);

/// Adds one to an event counter. A counter that is full is readable already, so the result is of no use.
void kith_eventfd_raise(int fd);

/// Takes an event counter back to zero; does nothing when it is zero.
void kith_eventfd_reset(int fd);

/// Opens a non-blocking, close-on-exec timer on `clock`. timerfd_create(2).
int kith_timerfd(int clock);

/// Arms a timer descriptor. `absolute` takes `value` as a point in time; `cancel_on_set` reports clock changes as
/// ECANCELED from read. timerfd_settime(2).
int kith_timerfd_settime(int fd, int absolute, int cancel_on_set, const struct itimerspec *value);

/// Names the calling thread; at most 15 bytes. pthread_setname_np(3).
int kith_name_this_thread(const char *name);

/// The kernel's id of the calling thread. gettid(2).
int kith_gettid(void);

/// Asks the name service for records of `name` of `type` (res_nquery(3), class IN), by the settings of resolv.conf(5) but
/// with at most two tries of two seconds a server. Writes the answer as it came (RFC 1035 section 4) and returns its length,
/// which may exceed `size`; -1 when there is none. Blocks.
int kith_name_query(const char *name, int type, unsigned char *answer, int size);

/// Opens a file for writing that has no name yet in `folder`, and goes with its descriptor unless it is given one. Returns -1 and sets
/// errno where the file system has no such files. open(2), O_TMPFILE.
int kith_unnamed_file(const char *folder);

/// Gives a file of `kith_unnamed_file` a name, at which there must be nothing. Returns -1 and sets errno on failure. linkat(2).
int kith_name_file(int fd, const char *path);

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
int kith_pidfd(pid_t process);

/// Opens a pipe, its reading end first; both ends are close-on-exec. Returns -1 and sets errno on failure. pipe2(2).
int kith_pipe(int ends[2]);

/// Opens a file of memory alone. memfd_create(2).
int kith_memory_file(void);

/// The event loop that runs on the calling thread, or null.
///
/// A thread-local and not pthread_self(): glibc declares the latter `const`, so an optimiser may carry its value across
/// an `await` that changes threads.
void *kith_current_loop(void);
void kith_set_current_loop(void *loop);

#endif
