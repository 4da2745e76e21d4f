internal import CZlib

/// Undoes gzip piece by piece. RFC 1952.
///
/// Libcurl could do it, but takes a stream that was cut off for a whole one, and inflates a piece entirely before anybody
/// can stop it.
@safe struct Inflater: ~Copyable {
  /// What a decoder gives at once.
  private static let size = 64 << 10

  /// Zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let buffer: UnsafeMutablePointer<UInt8>
  /// Whether the last member has ended: only then is it whole.
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
    // Zlib frees what it has for the stream.
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe buffer.deallocate()
  }

  /// Decodes a piece.
  ///
  /// - Parameters:
  ///   - bytes: What has come.
  ///   - emit: Gets what it stands for, at most 64 KiB at a time.
  /// - Returns: False when the bytes are no gzip.
  /// - Throws: What `emit` throws.
  mutating func decode(
    _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(TransferError) -> Void
  ) throws(TransferError) -> Bool {
    // Zlib does not write to its input, though its type says so; the bytes are valid during the call.
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    unsafe stream.pointee.avail_in = UInt32(bytes.count)
    repeat {
      // A further member may follow the end of one: section 2.2.
      if isComplete {
        guard unsafe stream.pointee.avail_in > 0 else { break }
        unsafe inflateReset(stream)
        isComplete = false
      }
      unsafe stream.pointee.next_out = buffer
      unsafe stream.pointee.avail_out = UInt32(Self.size)
      let result = unsafe inflate(stream, Z_NO_FLUSH)
      // `Z_BUF_ERROR` says that the input is used up.
      guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else { return false }
      isComplete = result == Z_STREAM_END
      // So many bytes of the buffer were written.
      let count = unsafe Self.size - Int(stream.pointee.avail_out)
      if count > 0 { try unsafe emit(UnsafeRawBufferPointer(start: buffer, count: count)) }
    } while unsafe stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    return true
  }
}
