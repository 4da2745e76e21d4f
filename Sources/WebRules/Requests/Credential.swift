internal import Digest
internal import Foundation

/// The token that a request shows, and where it stood.
public struct Credential: Sendable, Hashable {
  /// Where the token stood.
  public enum Place: Sendable, Hashable {
    /// In `Authorization`, which no page of another site can send.
    case header
    /// In a cookie, which a browser adds by itself; it was set on this day, counted from 1970.
    case cookie(day: Int)
  }

  /// The token.
  public let token: String
  /// Where it stood.
  public let place: Place
  /// The SHA-256 of the token, by which limits are kept and the hub knows it: 64 hex digits.
  public let digest: String

  /// Makes a credential of a token.
  init(token: String, place: Place) {
    self.token = token
    self.place = place
    self.digest = Token.digest(token)
  }

  /// Whether a browser adds it by itself.
  public var isCookie: Bool { self.place != .header }

  /// Finds the token of a request; nil if it has none. A header comes before a cookie.
  ///
  /// - Throws: 401 if `Authorization` is something else than a token.
  public static func find(in head: RequestHead, _ way: Caller.Way) throws(Refusal) -> Credential? {
    if head.fields["authorization"] != nil {
      let words = (head.field("authorization") ?? "").utf8.split(separator: UInt8(ascii: " ")).map {
        String(Substring($0))
      }
      guard words.count == 2, words[0].lowercased() == "bearer", Token.isValid(words[1]) else {
        throw Refusal(401, Token.unknown)
      }
      return Credential(token: words[1], place: .header)
    }
    let name = SessionCookie.name(way)
    for line in head.fields["cookie"] ?? [] {
      for pair in line.split(separator: ";") {
        let text = pair.drop { $0 == " " }
        guard text.hasPrefix("\(name)=") else { continue }
        return SessionCookie.read(String(text.dropFirst(name.utf8.count + 1)))
      }
    }
    return nil
  }
}

/// The cookie by which a browser shows its device's token: `TOKEN.DAY`.
public enum SessionCookie {
  /// Days that a browser keeps it; browsers allow no more.
  public static let lifetime = 400
  /// The last day that counts as one: of the year 9999.
  private static let lastDay = 2_932_896
  /// Days after which it is set again.
  private static let renewal = 30

  /// Its name. One that is sent without encryption has another name, so that it can never stand for the other one.
  public static func name(_ way: Caller.Way) -> String { way == .tls ? "__Host-kith" : "kith-plain" }

  /// The field that sets it.
  ///
  /// - Parameter day: Today, counted from 1970.
  public static func set(_ token: String, day: Int, _ way: Caller.Way) -> String {
    self.field("\(self.name(way))=\(token).\(day)", seconds: self.lifetime * 86_400, way)
  }

  /// The field that deletes it.
  public static func cleared(_ way: Caller.Way) -> String { self.field("\(self.name(way))=", seconds: 0, way) }

  /// Whether a cookie that was set on a day is set again today.
  public static func isDue(setOn day: Int, today: Int) -> Bool { today - day >= Self.renewal || day > today }

  /// A cookie of a page or of the session with the attributes that all of them have.
  static func field(_ pair: String, seconds: Int, _ way: Caller.Way) -> String {
    "\(pair); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax" + (way == .tls ? "; Secure" : "")
  }

  static func read(_ value: String) -> Credential? {
    let parts = value.split(separator: ".", maxSplits: 1)
    guard let token = parts.first.map(String.init), Token.isValid(token) else { return nil }
    // Anybody can send any number: what is no day of this calendar counts as none, and is set again.
    let day = parts.count > 1 ? Int(parts[1]).flatMap { (0...Self.lastDay).contains($0) ? $0 : nil } : nil
    return Credential(token: token, place: .cookie(day: day ?? 0))
  }
}
