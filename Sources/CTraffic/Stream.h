#ifndef KITH_STREAM_H
#define KITH_STREAM_H

// Where the stream of a connection stands: frames of ZMTP after a greeting of 64 bytes. ZeroMQ RFC 37.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  short_header = 2,
  long_header = 9,  // of a frame of more than 255 bytes
};

enum kith_frame_kind {
  ordinary,
  // A command of ZMTP whose name has not come yet.
  unnamed,
  // A command that libzmq answers or drops when it has all of it, as PING.
  passing,
};

struct kith_stream {
  // Left of the greeting and of the frame, all of the frame, and what has come of the frame's header.
  uint64_t greeting, left, frame;
  enum kith_frame_kind kind;
  unsigned char header[long_header];
  unsigned char header_count;
};

/// One of which nothing has come.
extern const struct kith_stream kith_stream_new;

/// What a reading brings.
struct kith_reading {
  uint64_t frames;
  // Of the greeting, and of commands that have passed.
  uint64_t passed_bytes, passed_frames;
};

/// Follows a stream through what has come.
struct kith_reading kith_stream_follow(struct kith_stream *stream, const unsigned char *bytes, size_t count);

/// What has come of a frame that has not ended.
uint64_t kith_stream_unended(const struct kith_stream *stream);

/// Lowers a count, to nothing at least; how much that was.
static inline uint64_t kith_lower(uint64_t *count, uint64_t by) {
  uint64_t part = by < *count ? by : *count;
  *count -= part;
  return part;
}

#endif
