#ifndef KITH_CLINUX_H
#define KITH_CLINUX_H

// Linux calls that Swift's Glibc module does not export, because they need _GNU_SOURCE or other headers.
//
// This header itself does not use _GNU_SOURCE: with it the C library names members of its structures differently than in
// Swift's Glibc module, and the compiler refuses two definitions of one type.

#include <malloc.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/// Opens a non-blocking, close-on-exec event counter. Returns -1 and sets errno on failure. eventfd(2).
int kith_eventfd(void);

/// Adds one to an event counter. A full counter is readable already, so the result is ignored.
void kith_eventfd_raise(int fd);

/// Resets an event counter to zero; does nothing if it is zero.
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

/// Queries the name service for records of `name` of `type` (res_nquery(3), class IN), with the settings of resolv.conf(5)
/// but at most two tries of two seconds for each server. Writes the raw answer (RFC 1035 section 4) and returns its length,
/// which may exceed `size`; -1 if there is none. Blocks.
int kith_name_query(const char *name, int type, unsigned char *answer, int size);

/// Opens an unnamed file for writing in `folder`, which disappears with its descriptor unless it gets a name. Returns -1
/// and sets errno if the file system does not support it. open(2), O_TMPFILE.
int kith_unnamed_file(const char *folder);

/// Names a file of `kith_unnamed_file`; the path must not exist. Returns -1 and sets errno on failure. linkat(2).
int kith_name_file(int fd, const char *path);

/// The program that `kith_spawn` starts.
struct kith_child {
  /// An absolute path; PATH is not searched.
  const char *path;
  /// Null-terminated; the first one is the name of the program.
  char *const *arguments;
  /// Null-terminated.
  char *const *environment;
  /// The working directory.
  const char *directory;
  /// Its standard input, output and error. It gets no other descriptor.
  int input, output, errors;
  /// Bytes of address space, RLIMIT_AS; 0 = no limit.
  uint64_t memory;
  /// Bytes of each file that it writes, RLIMIT_FSIZE; 0 = no limit.
  uint64_t file_size;
  /// The nice value, -20 to 19.
  int niceness;
};

/// Starts a program as leader of a new process group, with default signal handling. It cannot gain privileges, leaves no
/// core dump, creates files for its owner alone, and is killed when the calling thread ends.
///
/// Returns its id if it was executed. Otherwise returns -1, sets errno, and sets `step` to the name of the failed call.
pid_t kith_spawn(const struct kith_child *child, const char **step);

/// Opens a descriptor that becomes readable when the process ends. pidfd_open(2).
int kith_pidfd(pid_t process);

/// Opens a pipe, with the read end first; both ends are close-on-exec. Returns -1 and sets errno on failure. pipe2(2).
int kith_pipe(int ends[2]);

/// Opens an in-memory file. memfd_create(2).
int kith_memory_file(void);

/// Gives back the pages of code, of the program and its libraries, that are in this process's memory. Those that run are there again at once,
/// from the system's cache of files; the others, which a start needs alone, stay away. Returns the bytes of code. madvise(2), MADV_DONTNEED.
size_t kith_give_back_code(void);

/// Whether a time server keeps the machine's clock right: 1 or 0; -1 if the kernel does not say. adjtimex(2).
int kith_clock_is_synchronized(void);

/// The event loop that runs on the calling thread, or null.
///
/// A thread-local and not pthread_self(), which glibc declares `const`: an optimiser may reuse its value across an
/// `await` that changes threads.
void *kith_current_loop(void);
void kith_set_current_loop(void *loop);

#endif
