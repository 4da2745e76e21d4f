internal import CZeroMQ

/// A CURVE key, public or secret, of 32 bytes.
///
/// ```swift
/// let key = CurveKey(text: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7")
/// print(key?.hex ?? "no key")
/// ```
public struct CurveKey: Hashable, Sendable {
  /// The bytes of the key.
  public let bytes: [UInt8]

  /// Makes a key of 32 bytes; nil for any other length.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// Parses a key in Z85, of 40 characters; nil for any other text.
  public init?(z85: String) {
    guard let bytes = Z85.decode(z85) else { return nil }
    self.init(bytes: bytes)
  }

  /// Parses a key of 64 hex digits or 40 characters of Z85; nil for any other text.
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

  /// The key in Z85, as libzmq and the messages use it.
  public var z85: String { Z85.encode(bytes) }

  /// The key in 64 hex digits, for people: Z85 has characters with a meaning in shells.
  public var hex: String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension CurveKey: CustomStringConvertible {
  /// A text without the key, which may be secret.
  public var description: String { "CurveKey" }
}

/// A CURVE public key with its secret key. zmq_curve_keypair(3).
///
/// ```swift
/// let keys = try CurveKeyPair.random()
/// try socket.set(.curvePublicKey, keys.publicKey)
/// try socket.set(.curveSecretKey, keys.secretKey)
/// ```
public struct CurveKeyPair: Hashable, Sendable {
  /// The public key, for others.
  public let publicKey: CurveKey
  /// The secret key.
  public let secretKey: CurveKey

  /// Makes a random key pair.
  ///
  /// - Throws: `ZMQError` if libzmq was built without CURVE.
  public static func random() throws(ZMQError) -> CurveKeyPair {
    var publicText = [CChar](repeating: 0, count: 41)
    var secretText = publicText
    // Both have room for 40 characters and the final NUL, as the function requires.
    guard unsafe zmq_curve_keypair(&publicText, &secretText) == 0 else { throw ZMQError("zmq_curve_keypair") }
    guard let publicKey = CurveKey(z85: text(publicText)), let secretKey = CurveKey(z85: text(secretText)) else {
      throw ZMQError(code: .invalidArgument, "zmq_curve_keypair")
    }
    return CurveKeyPair(publicKey: publicKey, secretKey: secretKey)
  }

  /// Derives the public key of a secret key. zmq_curve_public(3).
  ///
  /// - Throws: `ZMQError` if libzmq was built without CURVE.
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

/// The Z85 encoding: four bytes in five printable characters. ZeroMQ RFC 32.
///
/// ```swift
/// let text = Z85.encode([0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B])  // "HelloWorld"
/// ```
public enum Z85 {
  private static let alphabet = Array(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

  private static let values: [UInt8: UInt32] = Dictionary(
    uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt32($0)) })

  /// Encodes bytes. Traps unless their number is a multiple of four.
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

  /// Decodes text; nil if its length is not a multiple of five or a group exceeds 32 bits.
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
