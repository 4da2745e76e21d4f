#ifndef KITH_STREAM_H
#define KITH_STREAM_H

// The parser of a connection's stream: ZMTP frames after a greeting of 64 bytes. ZeroMQ RFC 37.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  short_header = 2,
  long_header = 9,  // of a frame of more than 255 bytes
};

enum kith_frame_kind {
  ordinary,
  // A ZMTP command whose name has not arrived yet.
  unnamed,
  // A command that libzmq answers or drops when it is complete, such as PING.
  passing,
};

struct kith_stream {
  // Remaining bytes of the greeting and of the frame, the size of the frame, and the received part of its header.
  uint64_t greeting, left, frame;
  enum kith_frame_kind kind;
  unsigned char header[long_header];
  unsigned char header_count;
};

/// A stream at its start.
extern const struct kith_stream kith_stream_new;

/// What received bytes contain.
struct kith_reading {
  uint64_t frames;
  // Of the greeting and of commands that libzmq handles itself.
  uint64_t passed_bytes, passed_frames;
};

/// Parses received bytes.
struct kith_reading kith_stream_follow(struct kith_stream *stream, const unsigned char *bytes, size_t count);

/// The received bytes of an unfinished frame.
uint64_t kith_stream_unended(const struct kith_stream *stream);

/// Lowers a count, at most to 0. Returns the difference.
static inline uint64_t kith_lower(uint64_t *count, uint64_t by) {
  uint64_t part = by < *count ? by : *count;
  *count -= part;
  return part;
}

#endif
