internal import Digest

/// The token in a form, which shows that a page of ours sent it, where a browser is too old to say so itself.
///
/// The page sets a random cookie, and its form has a code that only this process can make from that cookie. A page of another site
/// knows neither. Nothing is stored; a restart makes new codes.
///
/// ```swift
/// let forms = FormToken()
/// let seed = FormToken.seed()
/// forms.isValid(forms.code(for: seed), for: seed)  // true
/// ```
public struct FormToken: Sendable {
  /// The name of the cookie with the random seed.
  public static func cookieName(_ way: Caller.Way) -> String { way == .tls ? "__Host-kith-form" : "kith-plain-form" }

  private let key: HMACKey

  /// Makes a key that lives as long as the process.
  public init() { self.key = HMACKey(Token.randomBytes(32)) }

  /// A new seed for a browser that has none.
  public static func seed() -> String { Hex.encode(Token.randomBytes(16)) }

  /// The seed that a browser has; nil if it has none.
  public static func seed(in head: RequestHead, _ way: Caller.Way) -> String? {
    let front = "\(Self.cookieName(way))="
    for line in head.fields["cookie"] ?? [] {
      for pair in line.split(separator: ";") {
        let text = pair.drop { $0 == " " }
        let value = text.dropFirst(front.utf8.count)
        if text.hasPrefix(front), Hex.decode(String(value))?.count == 16 { return String(value) }
      }
    }
    return nil
  }

  /// The field that sets a seed for an hour.
  public static func cookie(_ seed: String, _ way: Caller.Way) -> String {
    SessionCookie.field("\(Self.cookieName(way))=\(seed)", seconds: 3600, way)
  }

  /// The code of a form.
  public func code(for seed: String) -> String { Hex.encode(self.mac("form", seed)) }

  /// Whether a code is that of a seed.
  public func isValid(_ code: String, for seed: String) -> Bool {
    // Hashed again, so that the time of the comparison tells nothing about the code.
    self.mac("check", code) == self.mac("check", self.code(for: seed))
  }

  /// The token of the device that a browser joins as by a code: the same when the browser sends its form again, because the answer was
  /// lost.
  public func deviceToken(for seed: String, code: String) -> String {
    Token.make(of: self.key.authenticationCode(for: Array("device".utf8), Array(seed.utf8), Array(code.utf8)))
  }

  private func mac(_ use: String, _ text: String) -> [UInt8] {
    self.key.authenticationCode(for: Array(use.utf8), Array(text.utf8))
  }
}
