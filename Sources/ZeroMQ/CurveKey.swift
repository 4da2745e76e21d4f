/// A CURVE key, public or secret: 32 bytes.
public struct CurveKey: Hashable, Sendable {
  /// The key as libzmq takes it and as ZAP reports it.
  public let bytes: [UInt8]

  /// Takes a key of 32 bytes; nil for any other length.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// Reads the 40 characters of a key in Z85; nil for anything else.
  public init?(z85: String) {
    guard let bytes = Z85.decode(z85) else { return nil }
    self.init(bytes: bytes)
  }

  /// The 40 characters of the key in Z85.
  public var z85: String { Z85.encode(bytes) }
}

extension CurveKey: CustomStringConvertible {
  /// Nothing of the key, because it may be a secret one.
  public var description: String { "CurveKey" }
}
