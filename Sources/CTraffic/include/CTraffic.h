#ifndef KITH_CTRAFFIC_H
#define KITH_CTRAFFIC_H

// What libzmq holds of each connection that it has accepted, in bytes, and bounds on it.
//
// libzmq counts messages, and nothing of a message that has not ended; it says of no connection how much waits in it, and has
// no call that ends one. Its threads move all bytes by accept4(2), recv(2), send(2) and close(2) of the C library. This file
// defines those four for the whole program (the dynamic linker takes a program's own definition first), so that they count,
// for the threads that accept connections. A connection that would go beyond a bound is cut before its bytes are handed on.
// Where 256 connections over tcp, or over ipc, or 128 of one address or user, have not got as far as a first message, one more cuts
// the oldest of them: a process has 1,024 descriptors by default, and libzmq 4.3.4 ends it when there are no more.
//
// docs/decisions/0031.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that may be held at most. 0 = without a bound.
struct kith_traffic_limits {
  /// Received by one connection and not taken by the program: beyond it the connection is cut.
  uint64_t received;
  /// Received by all: beyond it the connection is cut that has held much for longest.
  uint64_t received_in_all;
  /// Handed over for one connection and not sent: beyond it nothing more is accepted for it.
  uint64_t unsent;
  /// Handed over for all and not sent: beyond it nothing is accepted for a connection that has anything unsent.
  uint64_t unsent_in_all;
};

/// Sets the bounds, before the first socket is bound.
void kith_traffic_limit(struct kith_traffic_limits limits);

/// The program has taken a message of so many bytes in so many frames that came by a connection.
void kith_traffic_taken(int connection, size_t bytes, size_t frames);

/// The program has taken all messages that had come, also of connections that have ended since.
void kith_traffic_drained(void);

/// Counts a message that is to be sent, unless that would go beyond a bound.
bool kith_traffic_offer(int connection, size_t bytes, size_t frames);

/// Takes back an offer that libzmq did not accept.
void kith_traffic_withdraw(int connection, size_t bytes, size_t frames);

/// Ends a connection; false when there is none. libzmq notices as if the peer had gone.
bool kith_traffic_cut(int connection);

/// Numbers of all connections, for tests and the log.
struct kith_traffic_totals {
  uint64_t received;
  uint64_t unsent;
  uint64_t cut;
};

/// What is held now, and how many connections were cut.
struct kith_traffic_totals kith_traffic_totals(void);

#endif
