public import Bus
internal import Digest
internal import Foundation
internal import KithMessages

/// The token of a device: `kith_` and 32 random bytes in base64url. The hub keeps its SHA-256 alone.
///
/// ```swift
/// let token = Token.make()
/// Token.digest(token)  // what the hub is told
/// ```
public enum Token {
  private static let mark = "kith_"

  /// Makes a token of random bytes.
  public static func make() -> String { Self.make(of: Self.randomBytes(32)) }

  /// Makes a token of 32 secret bytes.
  static func make(of bytes: [UInt8]) -> String {
    let text = Data(bytes).base64EncodedString()
    return Self.mark
      + text.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined()
  }

  /// Whether a text has the form of a token.
  public static func isValid(_ text: String) -> Bool {
    let rest = text.utf8.dropFirst(Self.mark.utf8.count)
    return text.hasPrefix(Self.mark) && rest.count == 43
      && rest.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The SHA-256 of a token: 64 lower-case hex digits.
  public static func digest(_ token: String) -> String { Hex.encode(SHA256.digest(Array(token.utf8))) }

  /// Random bytes of the system.
  public static func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// The failure of a request without a token that is valid.
  public static let unknown = Failure(
    .unauthenticated, "PRINCIPAL_UNKNOWN",
    "This device is not paired. Pair it with a code (kith web pair), or send a token: Authorization: Bearer kith_…")
}
