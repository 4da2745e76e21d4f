internal import CZeroMQ

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

/// A CURVE public key and its secret. zmq_curve_keypair(3).
public struct CurveKeyPair: Hashable, Sendable {
  /// To be given to others.
  public let publicKey: CurveKey
  /// To be kept.
  public let secretKey: CurveKey

  /// Makes a new random pair.
  ///
  /// - Throws: `ZMQError` when libzmq was built without CURVE.
  public static func random() throws(ZMQError) -> CurveKeyPair {
    var publicText = [CChar](repeating: 0, count: 41)
    var secretText = publicText
    // Both have room for 40 characters and the final NUL, as the function asks for.
    guard unsafe zmq_curve_keypair(&publicText, &secretText) == 0 else { throw ZMQError("zmq_curve_keypair") }
    guard let publicKey = CurveKey(z85: text(publicText)), let secretKey = CurveKey(z85: text(secretText)) else {
      throw ZMQError(code: .invalidArgument, "zmq_curve_keypair")
    }
    return CurveKeyPair(publicKey: publicKey, secretKey: secretKey)
  }

  /// Takes a secret key and finds its public one. zmq_curve_public(3).
  ///
  /// - Throws: `ZMQError` when libzmq was built without CURVE.
  public init(secretKey: CurveKey) throws(ZMQError) {
    var publicText = [CChar](repeating: 0, count: 41)
    // Room for 40 characters and the final NUL; the secret is passed with its NUL.
    guard unsafe zmq_curve_public(&publicText, secretKey.z85) == 0,
      let publicKey = CurveKey(z85: Self.text(publicText))
    else { throw ZMQError("zmq_curve_public") }
    self.init(publicKey: publicKey, secretKey: secretKey)
  }

  private init(publicKey: CurveKey, secretKey: CurveKey) {
    self.publicKey = publicKey
    self.secretKey = secretKey
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix(40).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// The text form of keys: four bytes in five printable characters. ZeroMQ RFC 32.
public enum Z85 {
  private static let alphabet = Array(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

  private static let values: [UInt8: UInt32] = Dictionary(
    uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt32($0)) })

  /// Encodes bytes whose number is a multiple of four; traps otherwise.
  public static func encode(_ bytes: [UInt8]) -> String {
    precondition(bytes.count.isMultiple(of: 4), "Z85 encodes groups of four bytes")
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 4 * 5)
    for start in stride(from: 0, to: bytes.count, by: 4) {
      let value = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      for divisor: UInt32 in [52_200_625, 614_125, 7225, 85, 1] {
        text.append(alphabet[Int(value / divisor % 85)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text; nil when its length is no multiple of five, or a group is no number of 32 bits.
  public static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 5) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 5 * 4)
    for start in stride(from: 0, to: characters.count, by: 5) {
      var value: UInt64 = 0
      for character in characters[start..<start + 5] {
        guard let digit = values[character] else { return nil }
        value = value * 85 + UInt64(digit)
      }
      guard let group = UInt32(exactly: value) else { return nil }
      for shift: UInt32 in [24, 16, 8, 0] {
        bytes.append(UInt8(truncatingIfNeeded: group >> shift))
      }
    }
    return bytes
  }
}
