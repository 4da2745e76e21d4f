#define _GNU_SOURCE 1

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// What a child reports if it cannot execute the program.
struct failure {
  int code;
  const char *step;
};

static int limit(int resource, uint64_t bytes) {
  struct rlimit limit = {bytes, bytes};
  return setrlimit(resource, &limit);
}

/// Duplicates a descriptor above the standard ones.
static int above_standard(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

static void close_others_on_exec(void) {
  if (syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) == 0) {
    return;
  }
  // Before Linux 5.11.
  struct rlimit open_files;
  if (getrlimit(RLIMIT_NOFILE, &open_files) == 0) {
    for (rlim_t descriptor = 3; descriptor < open_files.rlim_cur; descriptor++) {
      fcntl((int)descriptor, F_SETFD, FD_CLOEXEC);
    }
  }
}

/// Executes the program; returns the name of the call that failed. Uses only async-signal-safe calls: another thread of
/// the parent may have held any lock at the fork.
static const char *become(const struct kith_child *child, pid_t parent) {
  for (int number = 1; number < NSIG; number++) {
    signal(number, SIG_DFL);
  }
  if (setpgid(0, 0) == -1) return "setpgid";
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1) return "prctl";
  // The parent may have ended before the prctl.
  if (getppid() != parent) _exit(1);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1) return "prctl";
  int input = above_standard(child->input);
  int output = above_standard(child->output);
  int errors = above_standard(child->errors);
  if (dup2(input, 0) == -1 || dup2(output, 1) == -1 || dup2(errors, 2) == -1) return "dup2";
  close_others_on_exec();
  umask(077);
  if (chdir(child->directory) == -1) return "chdir";
  if (limit(RLIMIT_CORE, 0) == -1) return "setrlimit";
  if (child->memory != 0 && limit(RLIMIT_AS, child->memory) == -1) return "setrlimit";
  if (child->file_size != 0 && limit(RLIMIT_FSIZE, child->file_size) == -1) return "setrlimit";
  // A lower nice value needs a privilege; its failure is ignored.
  setpriority(PRIO_PROCESS, 0, child->niceness);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  execve(child->path, child->arguments, child->environment);
  return "execve";
}

pid_t kith_spawn(const struct kith_child *child, const char **step) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) == -1) {
    *step = "pipe";
    return -1;
  }
  // A handler of the parent must not run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t process = fork();
  if (process == 0) {
    report[1] = above_standard(report[1]);
    struct failure failure = {0, become(child, parent)};
    failure.code = errno;
    if (write(report[1], &failure, sizeof failure) == -1) _exit(126);
    _exit(127);
  }
  int code = errno;
  pthread_sigmask(SIG_SETMASK, &before, 0);
  close(report[1]);
  struct failure failure = {code, "fork"};
  if (process != -1) {
    ssize_t count;
    do {
      count = read(report[0], &failure, sizeof failure);
    } while (count == -1 && errno == EINTR);
    // The execve has closed the other end: there is nothing to read.
    if (count != sizeof failure) {
      close(report[0]);
      return process;
    }
    while (waitpid(process, 0, 0) == -1 && errno == EINTR) {
    }
  }
  close(report[0]);
  *step = failure.step;
  errno = failure.code;
  return -1;
}

int kith_memory_file(void) { return memfd_create("kith", MFD_CLOEXEC); }
