#include "Connections.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  // What libzmq sends first: a greeting; WELCOME to a peer with a key; then ERROR, or the longer READY. RFC 37 and 26.
  greeting_size = 64,
  welcome_size = 170,
  error_size = 12,
  // Connections without a read message: of one address or user, and of a family. In total there are fewer than 1,024.
  most_silent_of_source = 128,
  most_silent = 256,
};

struct connection kith_connections[descriptors];
struct plane kith_planes[planes];
struct kith_traffic_limits kith_limits;
_Atomic uint64_t kith_received_in_all, kith_unsent_in_all, kith_cut_count, kith_closings;
_Atomic int kith_end;
int kith_highest_descriptor;

struct connection *kith_lock(int descriptor) {
  if (descriptor < 0 || descriptor >= descriptors) return NULL;
  struct connection *connection = &kith_connections[descriptor];
  pthread_mutex_lock(&connection->lock);
  if (connection->is_open) return connection;
  pthread_mutex_unlock(&connection->lock);
  return NULL;
}

void kith_unlock(struct connection *connection) { pthread_mutex_unlock(&connection->lock); }

uint64_t kith_change(struct connection *connection, uint64_t cost) {
  uint64_t more = cost - connection->cost;  // Modulo 2^64, where it is less.
  connection->cost = cost;
  if (!connection->is_open) atomic_fetch_add(&kith_planes[connection->plane].left, more);
  return atomic_fetch_add(&kith_received_in_all, more) + more;
}

void kith_release(struct connection *connection, uint64_t count) {
  uint64_t cost = connection->cost, bytes = connection->bytes;
  kith_change(connection, count >= bytes ? 0 : cost - (uint64_t)((__uint128_t)cost * count / bytes));
  kith_lower(&connection->bytes, count);
}

void kith_sent(struct connection *connection, uint64_t count) {
  uint64_t unsent = connection->unsent, part = kith_lower(&unsent, count);
  connection->unsent = unsent;
  atomic_fetch_sub(&kith_unsent_in_all, part);
}

void kith_cut(int descriptor, struct connection *connection) {
  if (connection->is_cut) return;
  // Bytes that the kernel has received can be read also after shutdown(2).
  connection->is_cut = true;
  syscall(SYS_shutdown, descriptor, SHUT_RDWR);
  atomic_fetch_add(&kith_cut_count, 1);
}

bool kith_is_in(const struct connection *connection) {
  return connection->sent > greeting_size + error_size + (connection->is_local ? 0 : welcome_size);
}

uint64_t kith_sum(uint64_t owner, bool unsent) {
  uint64_t sum = 0;
  for (int descriptor = 0; descriptor < kith_end; descriptor++) {
    const struct connection *connection = &kith_connections[descriptor];
    if (connection->owner == owner) sum += unsent ? connection->unsent : connection->cost;
  }
  return sum;
}

// MARK: - Choosing connections to close

bool kith_cut_oldest(void) {
  int oldest = -1, oldest_unknown = -1;
  uint64_t since = UINT64_MAX;
  for (int descriptor = 0; descriptor < kith_end; descriptor++) {
    struct connection *connection = &kith_connections[descriptor];
    // Only this thread opens and closes those that it accepted, and a time that is read while it changes chooses another one.
    if (!connection->is_open || !pthread_equal(connection->thread, pthread_self()) || connection->is_cut) continue;
    if (connection->cost >= much && connection->much_since < since) {
      oldest = descriptor;
      since = connection->much_since;
    }
    if (connection->has_spoken || connection->cost <= longest_handshake) continue;
    if (oldest_unknown < 0 || connection->number < kith_connections[oldest_unknown].number) oldest_unknown = descriptor;
  }
  return kith_traffic_cut(oldest >= 0 ? oldest : oldest_unknown);
}

void kith_bound_silence(bool is_local, uint64_t source) {
  int oldest = -1, oldest_of_source = -1, count = 0, count_of_source = 0;
  for (int descriptor = 0; descriptor < kith_end; descriptor++) {
    const struct connection *connection = &kith_connections[descriptor];
    // As above.
    if (!connection->is_open || !pthread_equal(connection->thread, pthread_self())) continue;
    if (connection->is_local != is_local || connection->is_cut || connection->has_spoken) continue;
    count++;
    if (oldest < 0 || connection->number < kith_connections[oldest].number) oldest = descriptor;
    if (connection->source != source) continue;
    count_of_source++;
    if (oldest_of_source < 0 || connection->number < kith_connections[oldest_of_source].number) oldest_of_source = descriptor;
  }
  if (count <= most_silent && count_of_source <= most_silent_of_source) return;
  kith_traffic_cut(count_of_source > most_silent_of_source ? oldest_of_source : oldest);
}
