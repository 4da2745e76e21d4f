internal import CZlib

/// Decompresses gzip in pieces. RFC 1952.
///
/// Libcurl's own decompression accepts a stream that was cut off, and inflates a whole piece before its size can be checked.
@safe struct Inflater: ~Copyable {
  /// The most decoded bytes at a time.
  private static let size = 64 << 10

  /// Zlib stores its address, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let buffer: UnsafeMutablePointer<UInt8>
  /// Whether the last member has ended, so that the stream is complete.
  private(set) var isComplete = false

  init() {
    // Both are freed in `deinit`.
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe buffer = .allocate(capacity: Self.size)
    // It fails only without memory, and then the first call of `inflate` fails too.
    unsafe _ = kith_inflate_init_gzip(stream)
  }

  deinit {
    // Zlib frees its state of the stream.
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe buffer.deallocate()
  }

  /// Decodes a piece.
  ///
  /// - Parameters:
  ///   - bytes: Received bytes.
  ///   - emit: Receives decoded bytes, at most 64 KiB at a time.
  /// - Returns: False if the bytes are not gzip.
  /// - Throws: What `emit` throws.
  mutating func decode(
    _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(TransferError) -> Void
  ) throws(TransferError) -> Bool {
    // Zlib does not write to its input, although its type allows it; the bytes are valid during the call.
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    unsafe stream.pointee.avail_in = UInt32(bytes.count)
    repeat {
      // Another member may follow: section 2.2.
      if isComplete {
        guard unsafe stream.pointee.avail_in > 0 else { break }
        unsafe inflateReset(stream)
        isComplete = false
      }
      unsafe stream.pointee.next_out = buffer
      unsafe stream.pointee.avail_out = UInt32(Self.size)
      let result = unsafe inflate(stream, Z_NO_FLUSH)
      // `Z_BUF_ERROR` means that all input was read.
      guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else { return false }
      isComplete = result == Z_STREAM_END
      // `count` bytes of the buffer were written.
      let count = unsafe Self.size - Int(stream.pointee.avail_out)
      if count > 0 { try unsafe emit(UnsafeRawBufferPointer(start: buffer, count: count)) }
    } while unsafe stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    return true
  }
}
