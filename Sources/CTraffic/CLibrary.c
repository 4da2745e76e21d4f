#define _GNU_SOURCE 1

// The functions of the C library with which libzmq's threads move all bytes.

#include "Connections.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned char plane_of_listener[descriptors];
static _Atomic uint64_t numbers;
static __thread bool accepts;
static __thread int binds;

void kith_traffic_bind(int number) { binds = number; }

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/// The user id of a local peer; the address of a remote peer, for IPv6 the half that names its network.
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

/// Counts received bytes. Returns false if the connection has to be closed.
static bool receive(int descriptor, const void *bytes, size_t count) {
  struct connection *connection = kith_lock(descriptor);
  if (connection == NULL) return true;
  if (connection->is_cut) {
    kith_unlock(connection);
    return false;
  }
  uint64_t before = connection->cost, cost = before;
  struct kith_reading reading = kith_stream_follow(&connection->stream, bytes, count);
  connection->bytes += count;
  cost += count + frame_cost * reading.frames;
  kith_lower(&connection->bytes, reading.passed_bytes);
  kith_lower(&cost, reading.passed_bytes + frame_cost * reading.passed_frames);
  if (before < much && cost >= much) connection->much_since = now();
  uint64_t all = kith_change(connection, cost), most_bytes = kith_planes[connection->plane].most_bytes;
  bool is_over = (kith_limits.received > 0 && cost > kith_limits.received) || (most_bytes > 0 && connection->bytes > most_bytes)
    || (connection->bytes > longest_handshake && !kith_is_in(connection)) || !kith_traffic_has_room(connection->owner);
  if (is_over) kith_cut(descriptor, connection);
  kith_unlock(connection);
  if (is_over || kith_limits.received_in_all == 0 || all <= kith_limits.received_in_all) return !is_over;
  // If no open connection holds many bytes, closed ones do. A connection that held nothing before may continue.
  return kith_cut_oldest() || before == 0 || !kith_traffic_cut(descriptor);
}

ssize_t recv(int descriptor, void *bytes, size_t room, int flags) {
  ssize_t count = syscall(SYS_recvfrom, descriptor, bytes, room, flags, NULL, NULL);
  if (count <= 0 || !accepts || flags & MSG_PEEK || receive(descriptor, bytes, (size_t)count)) return count;
  errno = ECONNRESET;
  return -1;
}

ssize_t send(int descriptor, const void *bytes, size_t size, int flags) {
  ssize_t count = syscall(SYS_sendto, descriptor, bytes, size, flags, NULL, 0);
  struct connection *connection = count > 0 && accepts ? kith_lock(descriptor) : NULL;
  if (connection != NULL) {
    connection->sent += (uint64_t)count;
    kith_sent(connection, (uint64_t)count);
    kith_unlock(connection);
  }
  return count;
}

int listen(int listener, int backlog) {
  if (listener >= 0 && listener < descriptors) plane_of_listener[listener] = (unsigned char)binds;
  return (int)syscall(SYS_listen, listener, backlog);
}

/// Moves a connection to the next descriptor, so that a message identifies its connection also after its end, until about
/// a thousand others have connected. Closes it if no descriptor is left: low descriptors are for files and for outgoing
/// connections.
static int move(int descriptor) {
  static _Atomic int next;
  // The limit may have been lowered since the start.
  struct rlimit files;
  bool is_lowered = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < (rlim_t)kith_highest_descriptor;
  int highest = is_lowered ? (int)files.rlim_cur : kith_highest_descriptor, lowest = highest / 4;
  int from = atomic_load(&next);
  if (from < lowest || from >= highest) from = lowest;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, from);
  if (moved < 0 || moved >= highest) {
    if (moved >= 0) syscall(SYS_close, moved);
    moved = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
  }
  syscall(SYS_close, descriptor);
  if (moved >= highest) {
    syscall(SYS_close, moved);
    moved = -1;
  }
  if (moved < 0) errno = EMFILE;
  else atomic_store(&next, moved + 1);
  return moved;
}

int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags) {
  int descriptor = (int)syscall(SYS_accept4, listener, address, size, flags);
  if (descriptor >= 0 && kith_highest_descriptor > 0) descriptor = move(descriptor);
  if (descriptor >= descriptors) {
    syscall(SYS_close, descriptor);
    descriptor = -1;
    errno = EMFILE;
  }
  if (descriptor < 0) {
    // libzmq 4.3.4 aborts on unexpected errors of accept(2), such as this one over ipc.
    if (errno == EMFILE || errno == ENOMEM || errno == ENOBUFS) errno = ECONNABORTED;
    return -1;
  }
  accepts = true;
  int family = 0;
  socklen_t family_size = sizeof family;
  getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &family_size);
  bool is_local = family == AF_UNIX;
  struct connection *connection = &kith_connections[descriptor];
  pthread_mutex_lock(&connection->lock);
  // What an earlier connection with this descriptor left.
  kith_change(connection, 0);
  connection->is_cut = connection->has_spoken = false;
  connection->is_local = is_local;
  connection->number = atomic_fetch_add(&numbers, 1);
  connection->source = source(descriptor, is_local);
  connection->owner = 0;
  connection->plane = listener < descriptors ? plane_of_listener[listener] : 0;
  connection->bytes = connection->names = connection->sent = 0;
  connection->unsent = 0;
  connection->stream = kith_stream_new;
  // Set last: a thread that sees the connection as open sees its other fields as well.
  connection->thread = pthread_self();
  connection->is_open = true;
  pthread_mutex_unlock(&connection->lock);
  // Only one thread accepts at a time; a value that is too low for a moment does no harm.
  if (descriptor >= kith_end) kith_end = descriptor + 1;
  kith_bound_silence(is_local, connection->source);
  return descriptor;
}

int close(int descriptor) {
  struct connection *connection = accepts ? kith_lock(descriptor) : NULL;
  if (connection != NULL) {
    // An unfinished frame and an unfinished handshake are dropped with the connection.
    uint64_t cost = connection->cost, goes = kith_stream_unended(&connection->stream);
    kith_lower(&connection->bytes, goes);
    kith_lower(&cost, goes + (connection->stream.left > 0 ? frame_cost : 0));
    kith_change(connection, kith_is_in(connection) ? cost : 0);
    kith_sent(connection, connection->unsent);
    connection->closing = atomic_fetch_add(&kith_closings, 1) + 1;
    connection->is_open = false;
    // Its whole messages can still be read.
    atomic_fetch_add(&kith_planes[connection->plane].left, connection->cost);
    kith_unlock(connection);
  }
  return (int)syscall(SYS_close, descriptor);
}

