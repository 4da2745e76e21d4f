#define _GNU_SOURCE 1

#include "CTraffic.h"
#include "Stream.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  descriptors = 4096,
  planes = 8,
  frame_cost = 64,              // sizeof(zmq_msg_t)
  read_buffer = 8192,           // libzmq's in_batch_size
  // With its counters of references, which libzmq allocates with it. Frames of a reading without encryption keep all of it.
  read_buffer_cost = 18 << 10,
  encryption_size = 33,         // CURVE: name, nonce, flags and code of a MESSAGE, RFC 26
  much = 64 << 10,              // what a connection may always hold, however much others do
  // Connections that have sent no message: of one address or user, and of a family. With those that have there are fewer than 1,024.
  most_silent_of_source = 128,
  most_silent = 256,
};

/// A connection, or one that has ended and left something to be taken.
struct connection {
  // Between the I/O thread and the program. All zeros are an unlocked mutex. What others read without it is atomic.
  pthread_mutex_t lock;
  _Atomic bool is_open, is_cut;
  _Atomic pthread_t thread;
  bool is_local;
  int plane;
  uint64_t number, source;
  _Atomic uint64_t owner;
  // Of what was received: bytes, and what holding them costs.
  uint64_t bytes;
  _Atomic uint64_t cost;
  _Atomic uint64_t much_since;
  _Atomic uint64_t unsent;
  struct kith_stream stream;
  uint64_t frames;
};

struct plane {
  uint64_t most_bytes;
  // The costs of what its connections that have ended left.
  _Atomic uint64_t left;
};

static struct connection table[descriptors];
static struct plane plane[planes];
static unsigned char plane_of_listener[descriptors];
static struct kith_traffic_limits limits;
static _Atomic uint64_t received_in_all, unsent_in_all, cut_count, numbers;
static _Atomic int end;  // beyond all descriptors that were ever in the table
static int highest;      // of the descriptors that connections get; 0 = any
static __thread bool accepts;
static __thread int binds;

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

/// So much of what was handed over for a connection is gone; its lock is held.
static void sent(struct connection *connection, uint64_t count) {
  uint64_t unsent = connection->unsent, part = kith_lower(&unsent, count);
  connection->unsent = unsent;
  atomic_fetch_sub(&unsent_in_all, part);
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

/// Cuts the connection of this thread that has held much for longest; false when there is none.
static bool cut_oldest(void) {
  int oldest = -1;
  uint64_t since = UINT64_MAX;
  for (int descriptor = 0; descriptor < end; descriptor++) {
    struct connection *connection = &table[descriptor];
    // Only this thread opens and closes those that it accepted, and a time that is read while it changes chooses another one.
    if (!connection->is_open || !pthread_equal(connection->thread, pthread_self())) continue;
    if (connection->is_cut || connection->cost < much || connection->much_since >= since) continue;
    oldest = descriptor;
    since = connection->much_since;
  }
  struct connection *connection = lock(oldest);
  if (connection == NULL) return false;
  cut(oldest, connection);
  unlock(connection);
  return true;
}

/// Where too many connections are silent, cuts one of this thread: the oldest of the source of a new one, or of its family.
static void bound_silence(bool is_local, uint64_t source) {
  int oldest = -1, oldest_of_source = -1, count = 0, count_of_source = 0;
  for (int descriptor = 0; descriptor < end; descriptor++) {
    struct connection *connection = &table[descriptor];
    // As above; only this thread receives by them.
    if (!connection->is_open || !pthread_equal(connection->thread, pthread_self())) continue;
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

/// Makes a connection hold so much more, or less; its lock is held.
static uint64_t change(struct connection *connection, uint64_t cost) {
  uint64_t more = cost - connection->cost;  // Modulo 2^64, where it is less.
  connection->cost = cost;
  if (!connection->is_open) atomic_fetch_add(&plane[connection->plane].left, more);
  return atomic_fetch_add(&received_in_all, more) + more;
}

/// What is held of an owner, or not sent.
static uint64_t sum(uint64_t owner, bool unsent) {
  uint64_t sum = 0;
  for (int descriptor = 0; descriptor < end; descriptor++) {
    if (table[descriptor].owner == owner) sum += unsent ? table[descriptor].unsent : table[descriptor].cost;
  }
  return sum;
}

bool kith_traffic_has_room(uint64_t owner) {
  uint64_t share = limits.received_in_all / 4;
  return share == 0 || owner == 0 || received_in_all <= share || sum(owner, false) <= share;
}

/// Counts what has come; false when the connection has to go.
static bool receive(int descriptor, const void *bytes, size_t count, size_t room) {
  struct connection *connection = lock(descriptor);
  if (connection == NULL) return true;
  if (connection->is_cut) {
    unlock(connection);
    return false;
  }
  uint64_t before = connection->cost, cost = before;
  struct kith_reading reading = kith_stream_follow(&connection->stream, bytes, count);
  connection->frames += reading.frames;
  connection->bytes += count;
  cost += count + frame_cost * reading.frames;
  if (connection->is_local && room <= read_buffer && reading.stays) cost += read_buffer_cost;
  kith_lower(&connection->bytes, reading.passed_bytes);
  kith_lower(&cost, reading.passed_bytes + frame_cost * reading.passed_frames);
  if (before < much && cost >= much) connection->much_since = now();
  uint64_t all = change(connection, cost), most_bytes = plane[connection->plane].most_bytes;
  bool is_over = (limits.received > 0 && cost > limits.received) || (most_bytes > 0 && connection->bytes > most_bytes)
    || !kith_traffic_has_room(connection->owner);
  if (is_over) cut(descriptor, connection);
  unlock(connection);
  if (is_over || limits.received_in_all == 0 || all <= limits.received_in_all) return !is_over;
  // Where nobody holds much, it is ended connections that left much. One that holds nothing else may go on.
  return cut_oldest() || before == 0 || !kith_traffic_cut(descriptor);
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
    sent(connection, (uint64_t)count);
    unlock(connection);
  }
  return count;
}

int listen(int listener, int backlog) {
  if (listener >= 0 && listener < descriptors) plane_of_listener[listener] = (unsigned char)binds;
  return (int)syscall(SYS_listen, listener, backlog);
}

/// Moves a connection to the descriptor after that of the last one, so that a message names its connection also after its end, until
/// some thousand others have come.
static int move(int descriptor) {
  static _Atomic int next;
  int lowest = highest / 4;
  int from = atomic_load(&next);
  if (from < lowest || from >= highest) from = lowest;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, from);
  if (moved < 0 || moved >= highest) {
    if (moved >= 0) syscall(SYS_close, moved);
    moved = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
  }
  if (moved < 0) return descriptor;
  atomic_store(&next, moved + 1);
  syscall(SYS_close, descriptor);
  return moved;
}

int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags) {
  int descriptor = (int)syscall(SYS_accept4, listener, address, size, flags);
  if (descriptor >= 0 && highest > 0) descriptor = move(descriptor);
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
  // Of another one, long ago.
  change(connection, 0);
  connection->is_cut = false;
  connection->is_local = is_local;
  connection->number = atomic_fetch_add(&numbers, 1);
  connection->source = source(descriptor, is_local);
  connection->owner = 0;
  connection->plane = listener < descriptors ? plane_of_listener[listener] : 0;
  connection->bytes = connection->frames = 0;
  connection->unsent = 0;
  connection->stream = kith_stream_new;
  // Last: another thread that sees it open sees whose it is.
  connection->thread = pthread_self();
  connection->is_open = true;
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
    sent(connection, connection->unsent);
    // Whole messages of it are still there to be taken.
    atomic_fetch_add(&plane[connection->plane].left, connection->cost);
    unlock(connection);
  }
  return (int)syscall(SYS_close, descriptor);
}

// MARK: - The program's

void kith_traffic_limit(struct kith_traffic_limits chosen) {
  limits = chosen;
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  rlim_t wanted = files.rlim_max < descriptors ? files.rlim_max : descriptors;
  if (files.rlim_cur < wanted) {
    files.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) highest = files.rlim_cur < descriptors ? (int)files.rlim_cur : descriptors;
}

int kith_traffic_plane(size_t most_bytes) {
  static _Atomic int last;
  int number = 1 + atomic_fetch_add(&last, 1) % (planes - 1);
  plane[number].most_bytes = most_bytes;
  return number;
}

void kith_traffic_bind(int number) { binds = number; }

/// What a message measures on the wire.
static uint64_t on_the_wire(bool is_local, struct kith_traffic_message message) {
  uint64_t long_frames = is_local ? message.long_frames : message.long_encrypted_frames;
  return message.bytes + message.frames * (short_header + (is_local ? 0 : encryption_size)) + long_frames * (long_header - short_header);
}

void kith_traffic_taken(int descriptor, struct kith_traffic_message message) {
  if (descriptor < 0 || descriptor >= descriptors) return;
  // It may have ended.
  struct connection *connection = &table[descriptor];
  pthread_mutex_lock(&connection->lock);
  uint64_t count = on_the_wire(connection->is_local, message), cost = connection->cost;
  change(connection, count >= connection->bytes ? 0 : cost - (uint64_t)((__uint128_t)cost * count / connection->bytes));
  kith_lower(&connection->bytes, count);
  unlock(connection);
}

void kith_traffic_drained(int number) {
  if (plane[number].left == 0) return;
  for (int descriptor = 0; descriptor < end; descriptor++) {
    struct connection *connection = &table[descriptor];
    if (connection->is_open || connection->cost == 0) continue;
    pthread_mutex_lock(&connection->lock);
    if (!connection->is_open && connection->plane == number) change(connection, 0);
    unlock(connection);
  }
}

void kith_traffic_owner(int descriptor, uint64_t owner) {
  if (descriptor >= 0 && descriptor < descriptors) table[descriptor].owner = owner;
}

bool kith_traffic_offer(int descriptor, struct kith_traffic_message message) {
  struct connection *connection = lock(descriptor);
  if (connection == NULL) return true;
  uint64_t count = on_the_wire(connection->is_local, message);
  uint64_t all = atomic_load(&unsent_in_all) + count, share = limits.unsent_in_all / 4;
  bool fits = connection->unsent == 0 || limits.unsent == 0 || connection->unsent + count <= limits.unsent;
  // One alone always: of an owner, and of a connection that has none.
  if (fits && limits.unsent_in_all > 0 && all > share) {
    uint64_t owners = connection->owner == 0 ? connection->unsent : sum(connection->owner, true);
    fits = owners == 0 || (all <= limits.unsent_in_all && (connection->owner == 0 || owners + count <= share));
  }
  if (fits) {
    connection->unsent += count;
    atomic_fetch_add(&unsent_in_all, count);
  }
  unlock(connection);
  return fits;
}

void kith_traffic_withdraw(int descriptor, struct kith_traffic_message message) {
  struct connection *connection = lock(descriptor);
  if (connection == NULL) return;
  sent(connection, on_the_wire(connection->is_local, message));
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
