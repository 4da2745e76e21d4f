/// What a request carries. It can be read more than once: after a redirect, and when a kept connection turns out dead.
public enum RequestBody: Sendable {
  /// Bytes in memory.
  case bytes([UInt8])
  /// The file at a path, sent as it grows out of the disk; its size is taken when the transfer starts.
  case file(String)
  /// Pieces that are made while they are sent.
  ///
  /// `open` starts with the first piece, on the loop, and gives a function for the next one: nil at the end. It must not
  /// block. Without a length the body is sent in chunks, which some servers refuse.
  case pieces(length: Int?, open: @Sendable () throws -> () throws -> [UInt8]?)
}
