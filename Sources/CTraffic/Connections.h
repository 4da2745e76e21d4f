#ifndef KITH_CONNECTIONS_H
#define KITH_CONNECTIONS_H

// The connections that were accepted, by their descriptors, and what is held of each.

#include "CTraffic.h"
#include "Stream.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
  descriptors = 4096,
  planes = 8,
  frame_cost = 64,        // sizeof(zmq_msg_t)
  encryption_size = 33,   // CURVE: name, nonce, flags and code of a MESSAGE, RFC 26
  much = 64 << 10,        // what a connection may always hold, however much others do
  longest_handshake = 8 << 10,
};

/// A connection, or one that has ended and left something to be taken.
struct connection {
  // Between the I/O thread and the program. All zeros are an unlocked mutex. What others read without it is atomic.
  pthread_mutex_t lock;
  _Atomic bool is_open, is_cut;
  // Whether the program has taken a message of it.
  _Atomic bool has_spoken;
  _Atomic pthread_t thread;
  bool is_local;
  _Atomic int plane;
  uint64_t number, source;
  // When it was closed, as kith_traffic_closings numbers it.
  uint64_t closing;
  _Atomic uint64_t owner;
  // Of what was received: bytes, and what holding them costs.
  uint64_t bytes;
  _Atomic uint64_t cost;
  _Atomic uint64_t much_since;
  // By which the bytes may be too many: names of subscriptions, in the form that has one.
  uint64_t names;
  // Of what goes to it: bytes sent since it was accepted, and those that are not sent yet.
  uint64_t sent;
  _Atomic uint64_t unsent;
  struct kith_stream stream;
};

struct plane {
  uint64_t most_bytes;
  // The costs of what its connections that have ended left.
  _Atomic uint64_t left;
  // Whether there may be connections with names.
  _Atomic bool has_names;
};

extern struct connection kith_connections[descriptors];
extern struct plane kith_planes[planes];
extern struct kith_traffic_limits kith_limits;
extern _Atomic uint64_t kith_received_in_all, kith_unsent_in_all, kith_cut_count, kith_closings;
extern _Atomic int kith_end;         // beyond all descriptors that were ever in the table
extern int kith_highest_descriptor;  // that connections get, and one; 0 = any

/// An open connection, locked; NULL where there is none.
struct connection *kith_lock(int descriptor);
void kith_unlock(struct connection *connection);

// Of a connection whose lock is held:

/// It holds so much more, or less; what all hold then.
uint64_t kith_change(struct connection *connection, uint64_t cost);

/// So many bytes of it were taken, and what they cost.
void kith_release(struct connection *connection, uint64_t count);

/// So much of what was handed over for it is gone.
void kith_sent(struct connection *connection, uint64_t count);

/// Ends it. Its whole messages are still there to be taken, and count until they are.
void kith_cut(int descriptor, struct connection *connection);

/// Whether the peer was let in.
bool kith_is_in(const struct connection *connection);

/// What is held of an owner, or not sent.
uint64_t kith_sum(uint64_t owner, bool unsent);

/// Cuts the connection of this thread that has held much for longest, else the oldest of which no message was taken and that holds more
/// than a handshake; false when there is none.
bool kith_cut_oldest(void);

/// Where too many connections are silent, cuts one of this thread: the oldest of the source of a new one, or of its family.
void kith_bound_silence(bool is_local, uint64_t source);

#endif
