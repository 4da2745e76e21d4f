#ifndef KITH_CTRAFFIC_H
#define KITH_CTRAFFIC_H

// What libzmq holds of each connection that it has accepted, in bytes, and bounds on it.
//
// libzmq counts messages, and nothing of a message that has not ended; it says of no connection how much waits in it, and has
// no call that ends one. Its threads move all bytes by accept4(2), recv(2), send(2) and close(2) of the C library. CLibrary.c
// defines those four, and listen(2), for the whole program (the dynamic linker takes a program's own definition first), so that they
// count, for the threads that accept connections. A connection that would go beyond a bound is cut before its bytes are handed on.
//
// Of the connections of which the program has taken no message there may be 256 over tcp and over ipc each, and 128 of one address or
// user. One more cuts the oldest of them: libzmq 4.3.4 ends the process when it has no descriptor left. A peer that was not let in
// yet is cut at 8 KiB.
//
// docs/decisions/0031.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that may be held at most. 0 = without a bound.
struct kith_traffic_limits {
  /// Received by one connection and not taken by the program: beyond it the connection is cut.
  uint64_t received;
  /// Received by all: beyond it the connection is cut that has held much for longest, else the oldest of which nothing was taken.
  uint64_t received_in_all;
  /// Handed over for one connection and not sent: beyond it nothing more is accepted for it.
  uint64_t unsent;
  /// Handed over for all and not sent: beyond it nothing is accepted for an owner that has anything unsent.
  uint64_t unsent_in_all;
};

/// Sets the bounds, before the first socket is bound, and asks for 4,096 descriptors. From then on the descriptor of a connection that
/// has ended stands for another one only when some thousand others have come.
void kith_traffic_limit(struct kith_traffic_limits limits);

/// A number for a socket that takes messages: connections that come in by its listeners belong to it.
///
/// most_bytes: received by one of its connections and not taken; beyond it the connection is cut. 0 = without such a bound.
int kith_traffic_plane(size_t most_bytes);

/// What this thread listens at is of this plane, until it says otherwise. 0 = of none.
void kith_traffic_bind(int plane);

/// What a message measures: its frames, without the routing id, which does not travel.
struct kith_traffic_message {
  size_t bytes;
  size_t frames;
  /// Frames of more than 255 bytes, and of more than that with encryption: their headers are longer.
  size_t long_frames, long_encrypted_frames;
  /// By which it may have measured more, where it came as a command with a name, which libzmq takes off: SUBSCRIBE and CANCEL. They
  /// count until the plane is drained.
  size_t names;
};

/// The program has taken a message that came by a connection, which may have ended since.
void kith_traffic_taken(int connection, struct kith_traffic_message message);

/// How many connections were closed so far. To be read before the program looks for a message.
uint64_t kith_traffic_closings(void);

/// The program has found no message: it has taken all that had come to a plane by connections closed before it looked.
void kith_traffic_drained(int plane, uint64_t closings);

/// Whose a connection is, as its first message tells. All connections of an owner, those that have ended among them, may have a quarter
/// of what may be held, and of what may be unsent. 0 = nobody's, as far as that goes.
void kith_traffic_owner(int connection, uint64_t owner);

/// Whether an owner holds no more than its quarter; it is not let in otherwise.
bool kith_traffic_has_room(uint64_t owner);

/// Counts a message that is to be sent, unless that would go beyond a bound.
bool kith_traffic_offer(int connection, struct kith_traffic_message message);

/// Takes back an offer that libzmq did not accept.
void kith_traffic_withdraw(int connection, struct kith_traffic_message message);

/// Ends a connection; false when there is none. libzmq notices as if the peer had gone.
bool kith_traffic_cut(int connection);

/// Numbers of all connections, for tests.
struct kith_traffic_totals {
  uint64_t received;
  uint64_t unsent;
  uint64_t cut;
};

/// What is held now, and how many connections were cut.
struct kith_traffic_totals kith_traffic_totals(void);

#endif
