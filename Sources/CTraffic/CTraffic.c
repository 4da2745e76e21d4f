#define _GNU_SOURCE 1

#include "CTraffic.h"

#include <errno.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  descriptors = 4096,
  greeting_size = 64,           // ZeroMQ RFC 37
  frame_cost = 64,              // sizeof(zmq_msg_t)
  read_buffer = 8192,           // libzmq's in_batch_size; frames of a reading without encryption keep all of it
  header_size = 9,              // of a frame, at most
  encryption_size = 33,         // CURVE: name, nonce, flags and code of a MESSAGE, RFC 26
  much = 64 << 10,              // what a connection may always hold, however much others do
  // Connections that have sent no message: of one address or user, and of a family. With those that have there are fewer than 1,024.
  most_silent_of_source = 128,
  most_silent = 256,
};

struct connection {
  // Between the I/O thread and the program. All zeros are an unlocked mutex.
  pthread_mutex_t lock;
  bool is_open, is_local, is_cut;
  pthread_t owner;
  uint64_t number, source;
  // Of what was received: bytes, and what holding them costs.
  uint64_t bytes, cost;
  uint64_t much_since;
  uint64_t unsent;
  // Where the stream stands: left of the greeting, of the frame, and what has come of the frame's header.
  uint64_t greeting, frame;
  unsigned char header[header_size];
  unsigned char header_count;
  uint64_t frames;
};

static struct connection table[descriptors];
static struct kith_traffic_limits limits;
static _Atomic uint64_t received_in_all, unsent_in_all, left_behind, cut_count, numbers;
static _Atomic int end;  // beyond all descriptors that were ever in the table
static __thread bool accepts;

static struct connection *lock(int descriptor) {
  if (descriptor < 0 || descriptor >= descriptors) return NULL;
  struct connection *connection = &table[descriptor];
  pthread_mutex_lock(&connection->lock);
  if (connection->is_open) return connection;
  pthread_mutex_unlock(&connection->lock);
  return NULL;
}

static void unlock(struct connection *connection) { pthread_mutex_unlock(&connection->lock); }

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void take_off(_Atomic uint64_t *sum, uint64_t count) { atomic_fetch_sub(sum, count); }

/// How many frames begin in what has come.
static uint64_t frames(struct connection *connection, const unsigned char *bytes, size_t count) {
  uint64_t begun = 0;
  while (count > 0) {
    uint64_t *left = connection->greeting > 0 ? &connection->greeting : &connection->frame;
    if (*left > 0) {
      size_t part = *left < count ? *left : count;
      *left -= part;
      bytes += part;
      count -= part;
      continue;
    }
    connection->header[connection->header_count++] = *bytes++;
    count--;
    bool is_long = connection->header[0] & 2;
    if (connection->header_count < (is_long ? 9 : 2)) continue;
    connection->header_count = 0;
    connection->frame = connection->header[1];
    if (is_long) {
      for (int index = 2; index < 9; index++) connection->frame = connection->frame << 8 | connection->header[index];
    }
    begun++;
  }
  return begun;
}

/// Ends a connection whose lock is held. Its whole messages are still there to be taken, and count until they are.
static void cut(int descriptor, struct connection *connection) {
  // What the kernel has received is still to be had after shutdown(2).
  connection->is_cut = true;
  syscall(SYS_shutdown, descriptor, SHUT_RDWR);
  atomic_fetch_add(&cut_count, 1);
}

/// Whether a message has come. A handshake is a frame of a peer without a key, and two of one with a key.
static bool has_spoken(const struct connection *connection) { return connection->frames > (connection->is_local ? 1 : 2); }

/// Cuts the connection of this thread that has held much for longest.
static void cut_oldest(void) {
  int oldest = -1;
  uint64_t since = UINT64_MAX;
  for (int descriptor = 0; descriptor < end; descriptor++) {
    struct connection *connection = &table[descriptor];
    // Only this thread opens and closes those that it owns, and a time that is read while it changes chooses another one.
    if (!connection->is_open || !pthread_equal(connection->owner, pthread_self())) continue;
    if (connection->is_cut || connection->cost < much || connection->much_since >= since) continue;
    oldest = descriptor;
    since = connection->much_since;
  }
  struct connection *connection = lock(oldest);
  if (connection == NULL) return;
  cut(oldest, connection);
  unlock(connection);
}

/// Where too many connections are silent, cuts one of this thread: the oldest of the source of a new one, or of its family.
static void bound_silence(bool is_local, uint64_t source) {
  int oldest = -1, oldest_of_source = -1, count = 0, count_of_source = 0;
  for (int descriptor = 0; descriptor < end; descriptor++) {
    struct connection *connection = &table[descriptor];
    // As above; only this thread receives by them.
    if (!connection->is_open || !pthread_equal(connection->owner, pthread_self())) continue;
    if (connection->is_local != is_local || connection->is_cut || has_spoken(connection)) continue;
    count++;
    if (oldest < 0 || connection->number < table[oldest].number) oldest = descriptor;
    if (connection->source != source) continue;
    count_of_source++;
    if (oldest_of_source < 0 || connection->number < table[oldest_of_source].number) oldest_of_source = descriptor;
  }
  if (count <= most_silent && count_of_source <= most_silent_of_source) return;
  int chosen = count_of_source > most_silent_of_source ? oldest_of_source : oldest;
  struct connection *connection = lock(chosen);
  if (connection == NULL) return;
  cut(chosen, connection);
  unlock(connection);
}

/// The user of a peer on this machine; of one elsewhere its address, of IPv6 the half that names its network.
static uint64_t source(int descriptor, bool is_local) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (is_local) {
    struct ucred peer;
    size = sizeof peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.uid : 0;
  }
  if (getpeername(descriptor, (struct sockaddr *)&address, &size) != 0) return 0;
  uint64_t network = 0;
  if (address.ss_family == AF_INET) return ((struct sockaddr_in *)&address)->sin_addr.s_addr;
  const struct in6_addr *six = &((struct sockaddr_in6 *)&address)->sin6_addr;
  memcpy(&network, IN6_IS_ADDR_V4MAPPED(six) ? &six->s6_addr[8] : &six->s6_addr[0], sizeof network);
  return network;
}

/// Counts what has come; false when the connection has to go.
static bool receive(int descriptor, const void *bytes, size_t count, size_t room) {
  struct connection *connection = lock(descriptor);
  if (connection == NULL) return true;
  if (connection->is_cut) {
    unlock(connection);
    return false;
  }
  uint64_t begun = frames(connection, bytes, count);
  connection->frames += begun;
  uint64_t cost = count + frame_cost * begun;
  if (connection->is_local && room <= read_buffer) cost += read_buffer;
  if (connection->cost < much && connection->cost + cost >= much) connection->much_since = now();
  connection->bytes += count;
  connection->cost += cost;
  uint64_t all = atomic_fetch_add(&received_in_all, cost) + cost;
  bool is_over = limits.received > 0 && connection->cost > limits.received;
  if (is_over) cut(descriptor, connection);
  unlock(connection);
  if (!is_over && limits.received_in_all > 0 && all > limits.received_in_all) cut_oldest();
  return !is_over;
}

// MARK: - The C library's

ssize_t recv(int descriptor, void *bytes, size_t room, int flags) {
  ssize_t count = syscall(SYS_recvfrom, descriptor, bytes, room, flags, NULL, NULL);
  if (count <= 0 || !accepts || flags & MSG_PEEK || receive(descriptor, bytes, (size_t)count, room)) return count;
  errno = ECONNRESET;
  return -1;
}

ssize_t send(int descriptor, const void *bytes, size_t size, int flags) {
  ssize_t count = syscall(SYS_sendto, descriptor, bytes, size, flags, NULL, 0);
  struct connection *connection = count > 0 && accepts ? lock(descriptor) : NULL;
  if (connection != NULL) {
    uint64_t sent = connection->unsent < (uint64_t)count ? connection->unsent : (uint64_t)count;
    connection->unsent -= sent;
    take_off(&unsent_in_all, sent);
    unlock(connection);
  }
  return count;
}

int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags) {
  int descriptor = (int)syscall(SYS_accept4, listener, address, size, flags);
  if (descriptor >= descriptors) {
    syscall(SYS_close, descriptor);
    descriptor = -1;
    errno = EMFILE;
  }
  if (descriptor < 0) {
    // libzmq 4.3.4 ends the process over errors of accept(2) that it does not expect, such as this one over ipc.
    if (errno == EMFILE || errno == ENOMEM || errno == ENOBUFS) errno = ECONNABORTED;
    return -1;
  }
  accepts = true;
  int family = 0;
  socklen_t family_size = sizeof family;
  getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &family_size);
  bool is_local = family == AF_UNIX;
  struct connection *connection = &table[descriptor];
  pthread_mutex_lock(&connection->lock);
  connection->is_open = true;
  connection->is_cut = false;
  connection->is_local = is_local;
  connection->owner = pthread_self();
  connection->number = atomic_fetch_add(&numbers, 1);
  connection->source = source(descriptor, is_local);
  connection->bytes = connection->cost = connection->unsent = connection->frame = connection->frames = 0;
  connection->header_count = 0;
  connection->greeting = greeting_size;
  pthread_mutex_unlock(&connection->lock);
  // Connections are accepted by one thread, or by one at a time: a number that is too low for a moment costs nothing.
  if (descriptor >= end) end = descriptor + 1;
  bound_silence(is_local, connection->source);
  return descriptor;
}

int close(int descriptor) {
  struct connection *connection = accepts ? lock(descriptor) : NULL;
  if (connection != NULL) {
    connection->is_open = false;
    take_off(&unsent_in_all, connection->unsent);
    // Whole messages of it are still there to be taken.
    atomic_fetch_add(&left_behind, connection->cost);
    unlock(connection);
  }
  return (int)syscall(SYS_close, descriptor);
}

// MARK: - The program's

void kith_traffic_limit(struct kith_traffic_limits chosen) {
  limits = chosen;
  // Each heap keeps the gaps that a flood of answers leaves in it: 133 MiB in the sixteen of two cores, 54 in eight.
  mallopt(M_ARENA_MAX, 8);
}

static uint64_t on_the_wire(const struct connection *connection, size_t bytes, size_t frames) {
  return bytes + frames * (header_size + (connection->is_local ? 0 : encryption_size));
}

/// Takes off what connections that have ended left behind, and no more than there is.
static void settle(uint64_t most) {
  uint64_t left = atomic_load(&left_behind);
  while (left > 0) {
    uint64_t part = left < most ? left : most;
    if (!atomic_compare_exchange_weak(&left_behind, &left, left - part)) continue;
    take_off(&received_in_all, part);
    return;
  }
}

void kith_traffic_taken(int descriptor, size_t bytes, size_t frames) {
  struct connection *connection = lock(descriptor);
  if (connection == NULL) return settle(bytes + frames * (header_size + frame_cost));
  uint64_t count = on_the_wire(connection, bytes, frames);
  uint64_t freed = count >= connection->bytes
    ? connection->cost : (uint64_t)((__uint128_t)connection->cost * count / connection->bytes);
  connection->bytes -= count < connection->bytes ? count : connection->bytes;
  connection->cost -= freed;
  take_off(&received_in_all, freed);
  unlock(connection);
}

void kith_traffic_drained(void) { settle(UINT64_MAX); }

bool kith_traffic_offer(int descriptor, size_t bytes, size_t frames) {
  struct connection *connection = lock(descriptor);
  if (connection == NULL) return true;
  uint64_t count = on_the_wire(connection, bytes, frames);
  bool is_alone = connection->unsent == 0;
  bool fits = is_alone || limits.unsent == 0 || connection->unsent + count <= limits.unsent;
  bool all_fit = is_alone || limits.unsent_in_all == 0
    || atomic_load(&unsent_in_all) + count <= limits.unsent_in_all;
  if (fits && all_fit) {
    connection->unsent += count;
    atomic_fetch_add(&unsent_in_all, count);
  }
  unlock(connection);
  return fits && all_fit;
}

void kith_traffic_withdraw(int descriptor, size_t bytes, size_t frames) {
  struct connection *connection = lock(descriptor);
  if (connection == NULL) return;
  uint64_t count = on_the_wire(connection, bytes, frames);
  if (count > connection->unsent) count = connection->unsent;
  connection->unsent -= count;
  take_off(&unsent_in_all, count);
  unlock(connection);
}

bool kith_traffic_cut(int descriptor) {
  struct connection *connection = lock(descriptor);
  if (connection == NULL) return false;
  cut(descriptor, connection);
  unlock(connection);
  return true;
}

struct kith_traffic_totals kith_traffic_totals(void) {
  return (struct kith_traffic_totals){
    .received = atomic_load(&received_in_all), .unsent = atomic_load(&unsent_in_all), .cut = atomic_load(&cut_count)};
}
