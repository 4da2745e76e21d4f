#ifndef KITH_CONNECTIONS_H
#define KITH_CONNECTIONS_H

// The accepted connections by descriptor, and the bytes that are held for each.

#include "CTraffic.h"
#include "Stream.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
  descriptors = 4096,
  planes = 8,
  frame_cost = 64,        // sizeof(zmq_msg_t)
  encryption_size = 33,   // CURVE: name, nonce, flags and code of a MESSAGE, RFC 26
  much = 64 << 10,        // what a connection may always hold, whatever the others hold
  longest_handshake = 8 << 10,
};

/// An open connection, or a closed one with unread messages.
struct connection {
  // Taken by the I/O thread and the program. All zeros are an unlocked mutex. Fields that are read without it are atomic.
  pthread_mutex_t lock;
  _Atomic bool is_open, is_cut;
  // Whether the program has read a message from it.
  _Atomic bool has_spoken;
  _Atomic pthread_t thread;
  bool is_local;
  _Atomic int plane;
  uint64_t number, source;
  // When it was closed, as a value of kith_traffic_closings.
  uint64_t closing;
  _Atomic uint64_t owner;
  // Received and unread: the bytes, and the memory they cost.
  uint64_t bytes;
  _Atomic uint64_t cost;
  _Atomic uint64_t much_since;
  // Bytes that may be counted too much: the names of subscriptions that may have been sent as commands.
  uint64_t names;
  // Outgoing: bytes sent since it was accepted, and unsent bytes.
  uint64_t sent;
  _Atomic uint64_t unsent;
  struct kith_stream stream;
};

struct plane {
  uint64_t most_bytes;
  // The costs of the unread messages of its closed connections.
  _Atomic uint64_t left;
  // Whether a connection may have `names`.
  _Atomic bool has_names;
};

extern struct connection kith_connections[descriptors];
extern struct plane kith_planes[planes];
extern struct kith_traffic_limits kith_limits;
extern _Atomic uint64_t kith_received_in_all, kith_unsent_in_all, kith_cut_count, kith_closings;
extern _Atomic int kith_end;         // one more than the highest descriptor that was ever in the table
extern int kith_highest_descriptor;  // one more than the highest descriptor for connections; 0 = no limit

/// Locks and returns an open connection; NULL if there is none.
struct connection *kith_lock(int descriptor);
void kith_unlock(struct connection *connection);

// The following functions require the connection's lock:

/// Sets its cost. Returns the cost of all connections.
uint64_t kith_change(struct connection *connection, uint64_t cost);

/// Subtracts `count` read bytes and their cost.
void kith_release(struct connection *connection, uint64_t count);

/// Subtracts `count` from its unsent bytes.
void kith_sent(struct connection *connection, uint64_t count);

/// Closes it. Its whole messages can still be read, and count until then.
void kith_cut(int descriptor, struct connection *connection);

/// Whether the peer was admitted.
bool kith_is_in(const struct connection *connection);

/// The unsent bytes of an owner, or the cost of its unread bytes.
uint64_t kith_sum(uint64_t owner, bool unsent);

/// Closes the connection of this thread that has held many bytes for longest, else the oldest one without a read message
/// that holds more than a handshake. Returns false if there is none.
bool kith_cut_oldest(void);

/// If too many connections are silent, closes one of this thread: the oldest of the new one's source, or of its family.
void kith_bound_silence(bool is_local, uint64_t source);

#endif
