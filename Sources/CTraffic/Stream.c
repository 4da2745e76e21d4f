#include "Stream.h"

const struct kith_stream kith_stream_new = {.greeting = 64};

/// Starts a frame whose header is complete.
static void begin_frame(struct kith_stream *stream, struct kith_reading *reading) {
  const unsigned char *header = stream->header;
  stream->left = header[1];
  if (header[0] & 2) {
    for (int index = 2; index < long_header; index++) stream->left = stream->left << 8 | header[index];
  }
  stream->frame = stream->left + stream->header_count;
  stream->header_count = 0;
  stream->kind = header[0] & 4 ? unnamed : ordinary;
  reading->frames++;
}

struct kith_reading kith_stream_follow(struct kith_stream *stream, const unsigned char *bytes, size_t count) {
  struct kith_reading reading = {0};
  while (count > 0) {
    uint64_t part = 1;
    if (stream->greeting > 0) {
      part = kith_lower(&stream->greeting, count);
      reading.passed_bytes += part;
    } else if (stream->left == 0) {
      stream->header[stream->header_count++] = *bytes;
      if (stream->header_count == (stream->header[0] & 2 ? long_header : short_header)) begin_frame(stream, &reading);
    } else {
      // The program gets SUBSCRIBE, CANCEL, and the content of CURVE's MESSAGE; recognised by the lengths of their names.
      if (stream->kind == unnamed) stream->kind = *bytes == 9 || *bytes == 7 || *bytes == 6 ? ordinary : passing;
      part = kith_lower(&stream->left, count);
      if (stream->left == 0 && stream->kind == passing) {
        reading.passed_bytes += stream->frame;
        reading.passed_frames++;
      }
    }
    bytes += part;
    count -= part;
  }
  return reading;
}

uint64_t kith_stream_unended(const struct kith_stream *stream) {
  return stream->left > 0 ? stream->frame - stream->left : stream->header_count;
}
