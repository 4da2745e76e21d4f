#define _GNU_SOURCE 1

#include "CSystemd.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

// Declared as in <systemd/sd-bus.h>, whose package has to have the version of the running systemd. The library keeps to them: its
// functions have versions, LIBSYSTEMD_221 and so on.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct {
  const char *name;
  const char *message;
  int needs_free;
} sd_bus_error;
typedef int (*reply_handler)(sd_bus_message *, void *, sd_bus_error *);

/// The functions that are used: result, name, parameters.
#define FUNCTIONS(USE) \
  USE(int, sd_bus_new, (sd_bus **)) \
  USE(int, sd_bus_set_address, (sd_bus *, const char *)) \
  USE(int, sd_bus_set_bus_client, (sd_bus *, int)) \
  USE(int, sd_bus_start, (sd_bus *)) \
  USE(int, sd_bus_is_ready, (sd_bus *)) \
  USE(int, sd_bus_get_fd, (sd_bus *)) \
  USE(int, sd_bus_get_events, (sd_bus *)) \
  USE(int, sd_bus_get_timeout, (sd_bus *, uint64_t *)) \
  USE(int, sd_bus_process, (sd_bus *, sd_bus_message **)) \
  USE(int, sd_bus_call_method_async, \
      (sd_bus *, sd_bus_slot **, const char *, const char *, const char *, const char *, reply_handler, void *, const char *, ...)) \
  USE(const sd_bus_error *, sd_bus_message_get_error, (sd_bus_message *)) \
  USE(void, sd_bus_close, (sd_bus *)) \
  USE(sd_bus *, sd_bus_unref, (sd_bus *))

#define MEMBER(type, name, parameters) type(*name) parameters;
static struct {
  bool is_loaded;
  FUNCTIONS(MEMBER)
} library;

static void load(void) {
  void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
  library.is_loaded = true;
// POSIX has functions in what dlsym(3) returns, which C itself does not know.
#define FIND(type, name, parameters) \
  *(void **)&library.name = dlsym(handle, #name); \
  library.is_loaded = library.is_loaded && library.name != NULL;
  FUNCTIONS(FIND)
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

struct answer {
  bool has_come;
  char *error;
};

static int take(sd_bus_message *message, void *data, sd_bus_error *unused) {
  (void)unused;
  struct answer *answer = data;
  const sd_bus_error *error = library.sd_bus_message_get_error(message);
  answer->has_come = true;
  if (error != NULL && error->name != NULL) snprintf(answer->error, kith_bus_error_size, "%s", error->name);
  return 0;
}

/// Waits until there is something to process. Returns 0, or a negative errno: ETIMEDOUT after the deadline, ECANCELED when it is to stop.
static int wait_for(sd_bus *bus, int stop, uint64_t deadline) {
  int descriptor = library.sd_bus_get_fd(bus), events = library.sd_bus_get_events(bus);
  if (descriptor < 0 || events < 0) return descriptor < 0 ? descriptor : events;
  uint64_t until = UINT64_MAX, time = now();
  library.sd_bus_get_timeout(bus, &until);
  if (time >= deadline) return -ETIMEDOUT;
  if (until > deadline) until = deadline;
  struct pollfd items[] = {{stop, POLLIN, 0}, {descriptor, (short)events, 0}};
  // Rounded up: a wait of nothing would spin.
  int milliseconds = until > time ? (int)((until - time) / 1000 + 1) : 0;
  if (poll(items, 2, milliseconds) < 0 && errno != EINTR) return -errno;
  return items[0].revents != 0 ? -ECANCELED : 0;
}

/// Sends and receives until the bus has answered the greeting, or, with an answer, until the call is answered. Returns 0, or a negative
/// errno.
static int process(sd_bus *bus, int stop, uint64_t deadline, const struct answer *answer) {
  for (;;) {
    int code = answer != NULL ? answer->has_come : library.sd_bus_is_ready(bus);
    if (code != 0) return code > 0 ? 0 : code;
    code = library.sd_bus_process(bus, NULL);
    if (code == 0) code = wait_for(bus, stop, deadline);
    if (code < 0 && (answer == NULL || !answer->has_come)) return code;
  }
}

/// Calls Notify. Returns 0 once it is answered, or a negative errno.
static int call(sd_bus *bus, const struct kith_notification *notification, uint64_t deadline, struct answer *answer) {
  const char *name = "org.freedesktop.Notifications";
  // The arguments of Notify: application, replaced notification, icon, summary, text, actions, hints, and the time that it is shown (-1: the
  // desktop's own). Urgency 2 is critical: the notification stays until a person closes it.
  int code = library.sd_bus_call_method_async(
    bus, NULL, name, "/org/freedesktop/Notifications", name, "Notify", take, answer, "susssasa{sv}i", "kith", 0, "",
    notification->summary, notification->text, 0, 1, "urgency", "y", 2, -1);
  return code < 0 ? code : process(bus, notification->stop, deadline, answer);
}

enum kith_notify_end kith_notify(const struct kith_notification *notification, char *error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  error[0] = 0;
  pthread_once(&once, load);
  if (!library.is_loaded) return kith_notify_no_library;
  struct answer answer = {false, error};
  uint64_t deadline = now() + notification->timeout;
  // sd-bus would send the call right behind its greeting. It goes out once the bus has answered that: so what a bus that is silent, or
  // gone, did not get is known.
  bool is_ready = false;
  sd_bus *bus = NULL;
  int code = library.sd_bus_new(&bus);
  if (code >= 0) code = library.sd_bus_set_address(bus, notification->addresses);
  if (code >= 0) code = library.sd_bus_set_bus_client(bus, 1);
  if (code >= 0) code = library.sd_bus_start(bus);
  if (code >= 0) code = process(bus, notification->stop, deadline, NULL);
  is_ready = code >= 0;
  if (is_ready) code = call(bus, notification, deadline, &answer);
  if (bus != NULL) {
    library.sd_bus_close(bus);
    library.sd_bus_unref(bus);
  }
  if (code == -ECANCELED) return kith_notify_cancelled;
  // EAGAIN: the queue of connections that wait to be accepted is full, connect(2).
  if (!is_ready && (code == -EAGAIN || code == -ETIMEDOUT)) return kith_notify_busy;
  // Where the connection ends, the library makes up an answer.
  if (!is_ready) return kith_notify_no_bus;
  if (code < 0) return kith_notify_unclear;
  return error[0] == 0 ? kith_notify_shown : kith_notify_refused;
}
