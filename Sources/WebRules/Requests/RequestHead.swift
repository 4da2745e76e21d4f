public import Pages

/// What a request says before its body, whatever server received it. Names of fields are in lower case.
///
/// ```swift
/// var head = RequestHead(verb: "GET", target: "/events?streams=care", authority: "kith.home.arpa:8443", peer: "192.168.1.20")
/// head.fields["authorization"] = ["Bearer kith_…"]
/// head.field("authorization")
/// ```
public struct RequestHead: Sendable {
  /// The method of HTTP, such as `GET`.
  public var verb: String
  /// The path, as it was sent.
  public var path: String
  /// What follows the question mark.
  public var query: Query
  /// The `Host`, or `:authority`, with its port.
  public var authority: String
  /// The address of the peer, without its port; empty if unknown.
  public var peer: String
  /// The other fields, by name.
  public var fields: [String: [String]] = [:]

  /// Makes a head.
  ///
  /// - Parameter target: Path and query.
  public init(verb: String, target: String, authority: String, peer: String) {
    self.verb = verb
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.path = parts.first.map(String.init) ?? ""
    self.query = Query(parts.count > 1 ? String(parts[1]) : "")
    self.authority = authority
    self.peer = peer
  }

  /// The value of a field; nil if it is absent, or there are several of it.
  public func field(_ name: String) -> String? {
    guard let values = self.fields[name], values.count == 1 else { return nil }
    return values[0]
  }

  /// The bytes of all fields, by which the size of a head is bounded.
  public var size: Int {
    self.path.utf8.count + self.query.size
      + self.fields.reduce(0) { $0 + $1.value.reduce(0) { $0 + $1.utf8.count + 4 } + $1.key.utf8.count }
  }

  /// The language that the peer reads.
  public var language: PageLanguage { PageLanguage(accepted: self.field("accept-language")) }

  /// Whether it changes nothing by the rules of HTTP.
  public var isSafe: Bool { self.verb == "GET" || self.verb == "HEAD" }

  /// Whether the peer has what has an ETag already: `If-None-Match` (RFC 9110, 13.1.2), compared weakly.
  public func hasKnown(_ tag: String) -> Bool {
    let known = (self.field("if-none-match") ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
    return known.contains("*") || known.contains { Self.opaque($0) == Self.opaque(tag) }
  }

  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

  /// Whether the peer takes gzip: `Accept-Encoding` names it, with a weight above 0 (RFC 9110, 12.5.3).
  public var takesGzip: Bool {
    (self.field("accept-encoding") ?? "").lowercased().split(separator: ",").contains { part in
      let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
      return pieces.first == "gzip"
        && !pieces.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
    }
  }
}

/// The parameters of a query, or of a form (`application/x-www-form-urlencoded`).
public struct Query: Sendable {
  /// The bytes as they were sent.
  public let size: Int
  /// The parameters in their order, as far as they could be read.
  public let pairs: [(name: String, value: String)]
  /// Whether ``pairs`` has all that was sent: at most ``most`` parameters, all in UTF-8.
  public let isWhole: Bool

  /// The most parameters that are read: a form that names 500 calls has fewer.
  public static let most = 2000

  /// Reads `a=b&c=d`.
  public init(_ text: String) {
    self.size = text.utf8.count
    var pairs: [(name: String, value: String)] = []
    let parts = text.split(separator: "&")
    for part in parts.prefix(Self.most) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(sides[0]), let value = Self.decoded(sides.count > 1 ? sides[1] : "") else {
        continue
      }
      pairs.append((name, value))
    }
    self.pairs = pairs
    self.isWhole = pairs.count == parts.count
  }

  /// The value of a parameter; of several with one name the first.
  public subscript(name: String) -> String? { self.pairs.first { $0.name == name }?.value }

  /// Decodes `%41` and `+`; nil if the bytes are no UTF-8, or a `%` has no two digits behind it.
  static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
          let value = UInt8(digits, radix: 16)
        else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
