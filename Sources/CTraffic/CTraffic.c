#define _GNU_SOURCE 1

#include "Connections.h"

#include <sys/resource.h>

void kith_traffic_limit(struct kith_traffic_limits chosen) {
  kith_limits = chosen;
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  rlim_t wanted = files.rlim_max < descriptors ? files.rlim_max : descriptors;
  if (files.rlim_cur < wanted) {
    files.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) kith_highest_descriptor = files.rlim_cur < descriptors ? (int)files.rlim_cur : descriptors;
}

int kith_traffic_plane(size_t most_bytes) {
  static _Atomic int last;
  int number = 1 + atomic_fetch_add(&last, 1) % (planes - 1);
  kith_planes[number].most_bytes = most_bytes;
  return number;
}

/// The size of a message on the wire.
static uint64_t on_the_wire(bool is_local, struct kith_traffic_message message) {
  uint64_t long_frames = is_local ? message.long_frames : message.long_encrypted_frames;
  return message.bytes + message.frames * (short_header + (is_local ? 0 : encryption_size)) + long_frames * (long_header - short_header);
}

void kith_traffic_taken(int descriptor, struct kith_traffic_message message) {
  if (descriptor < 0 || descriptor >= descriptors) return;
  // The connection may have ended.
  struct connection *connection = &kith_connections[descriptor];
  pthread_mutex_lock(&connection->lock);
  connection->has_spoken = true;
  kith_release(connection, on_the_wire(connection->is_local, message));
  if (message.names > 0) {
    // The command's name may have required a longer header.
    connection->names += message.names + long_header - short_header;
    kith_planes[connection->plane].has_names = true;
  }
  kith_unlock(connection);
}

uint64_t kith_traffic_closings(void) { return kith_closings; }

void kith_traffic_drained(int number, uint64_t closings) {
  bool has_names = atomic_exchange(&kith_planes[number].has_names, false);
  if (kith_planes[number].left == 0 && !has_names) return;
  for (int descriptor = 0; descriptor < kith_end; descriptor++) {
    struct connection *connection = &kith_connections[descriptor];
    if (connection->plane != number || (connection->cost == 0 && connection->names == 0)) continue;
    pthread_mutex_lock(&connection->lock);
    if (connection->plane == number) {
      if (!connection->is_open && connection->closing <= closings) kith_change(connection, 0);
      if (connection->is_open && connection->names > 0) kith_release(connection, connection->names);
      connection->names = 0;
    }
    kith_unlock(connection);
  }
}

bool kith_traffic_has_room(uint64_t owner) {
  uint64_t share = kith_limits.received_in_all / 4;
  return share == 0 || owner == 0 || kith_received_in_all <= share || kith_sum(owner, false) <= share;
}

void kith_traffic_owner(int descriptor, uint64_t owner) {
  if (descriptor >= 0 && descriptor < descriptors) kith_connections[descriptor].owner = owner;
}

bool kith_traffic_offer(int descriptor, struct kith_traffic_message message) {
  struct connection *connection = kith_lock(descriptor);
  if (connection == NULL) return true;
  uint64_t count = on_the_wire(connection->is_local, message);
  uint64_t all = atomic_load(&kith_unsent_in_all) + count, share = kith_limits.unsent_in_all / 4;
  bool fits = connection->unsent == 0 || kith_limits.unsent == 0 || connection->unsent + count <= kith_limits.unsent;
  // A single message is always accepted: of an owner, or of a connection without an owner.
  if (fits && kith_limits.unsent_in_all > 0 && all > share) {
    uint64_t owners = connection->owner == 0 ? connection->unsent : kith_sum(connection->owner, true);
    fits = owners == 0 || (all <= kith_limits.unsent_in_all && (connection->owner == 0 || owners + count <= share));
  }
  if (fits) {
    connection->unsent += count;
    atomic_fetch_add(&kith_unsent_in_all, count);
  }
  kith_unlock(connection);
  return fits;
}

void kith_traffic_withdraw(int descriptor, struct kith_traffic_message message) {
  struct connection *connection = kith_lock(descriptor);
  if (connection == NULL) return;
  kith_sent(connection, on_the_wire(connection->is_local, message));
  kith_unlock(connection);
}

bool kith_traffic_cut(int descriptor) {
  struct connection *connection = kith_lock(descriptor);
  if (connection == NULL) return false;
  kith_cut(descriptor, connection);
  kith_unlock(connection);
  return true;
}

struct kith_traffic_totals kith_traffic_totals(void) {
  return (struct kith_traffic_totals){
    .received = atomic_load(&kith_received_in_all), .unsent = atomic_load(&kith_unsent_in_all), .cut = atomic_load(&kith_cut_count)};
}
