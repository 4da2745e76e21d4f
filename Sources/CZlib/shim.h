#ifndef KITH_CZLIB_H
#define KITH_CZLIB_H

#include <zlib.h>

/// Prepares a stream for the gzip format, RFC 1952, with the largest window. `inflateInit2` is a macro.
static inline int kith_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, MAX_WBITS + 16); }

#endif
