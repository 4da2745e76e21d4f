#ifndef KITH_CTRAFFIC_H
#define KITH_CTRAFFIC_H

// Counts the bytes that libzmq holds for each accepted connection, and limits them.
//
// libzmq counts messages, not bytes, and does not count an unfinished message; it reports no queue sizes and cannot close
// a single connection. Its threads move all bytes by accept4(2), recv(2), send(2) and close(2) of the C library. CLibrary.c
// defines these functions, and listen(2), for the whole program (the dynamic linker prefers a program's own definitions),
// so that they count on threads that accept connections. A connection that would exceed a limit is closed before its bytes
// reach libzmq.
//
// Of connections without a read message there may be 256 over tcp, 256 over ipc, and 128 of one address or user. One more
// closes the oldest of them: libzmq 4.3.4 aborts when it has no descriptor left. A peer that is not admitted yet is closed
// at 8 KiB.
//
// docs/decisions/0031.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The limits in bytes. 0 = no limit.
struct kith_traffic_limits {
  /// Unread bytes of one connection; above it the connection is closed.
  uint64_t received;
  /// Unread bytes of all; above it the connection is closed that has held many bytes for longest, else the oldest unread.
  uint64_t received_in_all;
  /// Unsent bytes of one connection; above it nothing more is accepted for it.
  uint64_t unsent;
  /// Unsent bytes of all; above it nothing is accepted for an owner with unsent bytes.
  uint64_t unsent_in_all;
};

/// Sets the limits and asks for 4,096 descriptors. Call it before the first socket is bound. From then on the descriptor
/// of a closed connection is reused only after about a thousand others.
void kith_traffic_limit(struct kith_traffic_limits limits);

/// Returns a number for a receiving socket; the connections of its listeners belong to it.
///
/// most_bytes: the most unread bytes of one of its connections; above it the connection is closed. 0 = no limit.
int kith_traffic_plane(size_t most_bytes);

/// Assigns the listeners that this thread creates to a plane, until the next call. 0 = none.
void kith_traffic_bind(int plane);

/// The size of a message: its frames without the routing id, which is not on the wire.
struct kith_traffic_message {
  size_t bytes;
  size_t frames;
  /// Frames of more than 255 bytes, without and with encryption; their headers are longer.
  size_t long_frames, long_encrypted_frames;
  /// Further bytes if it was sent as a command with a name, SUBSCRIBE or CANCEL, which libzmq removes. They count until
  /// the plane is drained.
  size_t names;
};

/// Records that the program has read a message of a connection, which may have ended since.
void kith_traffic_taken(int connection, struct kith_traffic_message message);

/// The number of closed connections. Read it before receiving.
uint64_t kith_traffic_closings(void);

/// Records that no message was waiting: everything from connections closed before the receive has been read.
void kith_traffic_drained(int plane, uint64_t closings);

/// Sets the owner of a connection, which its first message shows. All connections of an owner, closed ones included, may
/// use a quarter of the unread and of the unsent bytes. 0 = no owner.
void kith_traffic_owner(int connection, uint64_t owner);

/// Whether an owner uses at most its quarter; otherwise it is not admitted.
bool kith_traffic_has_room(uint64_t owner);

/// Counts a message to be sent. Returns false, and counts nothing, if a limit would be exceeded.
bool kith_traffic_offer(int connection, struct kith_traffic_message message);

/// Uncounts a message that libzmq did not accept.
void kith_traffic_withdraw(int connection, struct kith_traffic_message message);

/// Closes a connection, as if its peer had disconnected. Returns false if there is none.
bool kith_traffic_cut(int connection);

/// The totals of all connections.
struct kith_traffic_totals {
  uint64_t received;
  uint64_t unsent;
  uint64_t cut;
};

/// The unread and unsent bytes, and the number of closed connections.
struct kith_traffic_totals kith_traffic_totals(void);

#endif
