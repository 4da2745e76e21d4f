#ifndef KITH_CSYSTEMD_H
#define KITH_CSYSTEMD_H

// One call by libsystemd's D-Bus client, sd-bus(3). The library is loaded when the call is made: a daemon that shows nothing on a
// desktop never has it in its memory, and runs where it is not installed.

#include <stdint.h>

/// Bytes of the name of a D-Bus error, with the zero behind it: as long as the D-Bus Specification has names.
enum { kith_bus_error_size = 256 };

/// How a call ended.
enum kith_notify_end {
  /// The desktop answered that it shows the notification.
  kith_notify_shown,
  /// Nothing was sent: libsystemd.so.0 cannot be loaded.
  kith_notify_no_library,
  /// Nothing was sent: there is no bus, or it does not let this user in.
  kith_notify_no_bus,
  /// Nothing was sent: the bus has no room for another connection now, or did not answer the greeting in time.
  kith_notify_busy,
  /// The call was refused.
  kith_notify_refused,
  /// The call may have been sent, and no answer came.
  kith_notify_unclear,
  /// The call was given up.
  kith_notify_cancelled,
};

/// A notification on the desktop of a session.
struct kith_notification {
  /// Addresses of the bus, separated by semicolons: D-Bus Specification, "Server Addresses".
  const char *addresses;
  /// UTF-8.
  const char *summary;
  /// UTF-8, with the markup of the Desktop Notifications Specification.
  const char *text;
  /// How long an answer is waited for, in microseconds.
  uint64_t timeout;
  /// A descriptor that is readable when the call is to be given up.
  int stop;
};

/// Calls org.freedesktop.Notifications.Notify and waits for the answer. Blocks; to be called from any thread.
///
/// `error` has room for kith_bus_error_size bytes: the name of the D-Bus error of a call that was refused, else an empty string.
enum kith_notify_end kith_notify(const struct kith_notification *notification, char *error);

#endif
