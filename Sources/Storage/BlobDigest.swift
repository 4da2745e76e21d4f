internal import Bus
internal import Digest

/// The SHA-256 that names a blob. Only what was checked to be one becomes a part of a path.
struct BlobDigest: Sendable, Hashable {
  /// Thirty-two bytes.
  let bytes: [UInt8]

  /// Reads 64 hexadecimal digits in lower case.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  init(_ text: String) throws(Failure) {
    guard let bytes = SHA256.bytes(named: text) else { throw .invalid(field: "sha256", SHA256.rule) }
    self.bytes = bytes
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The digits in lower case.
  var text: String { Hex.encode(self.bytes) }
}
