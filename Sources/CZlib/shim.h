#ifndef KITH_CZLIB_H
#define KITH_CZLIB_H

#include <zlib.h>

/// Prepares a stream for the gzip format, RFC 1952, with the largest window. `inflateInit2` is a macro.
static inline int kith_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, MAX_WBITS + 16); }

/// Compresses bytes into the gzip format. Returns the size of the result; 0 if it does not fit into `room`. `deflateInit2` is a macro.
static inline size_t kith_gzip(const unsigned char *bytes, size_t count, unsigned char *result, size_t room) {
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    // Zlib does not write to its input, although its type allows it.
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = result;
    stream.avail_out = (uInt)room;
    int end = deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return end == Z_STREAM_END ? stream.total_out : 0;
}

#endif
