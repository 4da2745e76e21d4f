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

  /// Reads a key in either spelling: 64 hex digits, or 40 characters of Z85; nil for anything else.
  public init?(text: String) {
    guard text.utf8.count == 64 else {
      self.init(z85: text)
      return
    }
    var bytes: [UInt8] = []
    var digits = text.utf8.makeIterator()
    while let high = digits.next(), let low = digits.next() {
      guard let high = Character(Unicode.Scalar(high)).hexDigitValue,
        let low = Character(Unicode.Scalar(low)).hexDigitValue
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    self.init(bytes: bytes)
  }

  /// The 40 characters of the key in Z85, as libzmq and the messages have it.
  public var z85: String { Z85.encode(bytes) }

  /// The key in 64 hex digits, as people carry it: Z85 has characters that mean something to a shell.
  public var hex: String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension CurveKey: CustomStringConvertible {
  /// Nothing of the key, because it may be a secret one.
  public var description: String { "CurveKey" }
}
