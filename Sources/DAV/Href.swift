/// The path of a resource on its server, in one spelling.
///
/// Servers name the same resource by absolute URLs, absolute paths and relative paths, with more or fewer escapes in
/// upper or lower case. Two hrefs are equal if their paths are, segment by segment after percent-decoding. Host and
/// port are left out: servers behind a proxy put their inner name there, and requests go to the account's own origin.
///
/// ```swift
/// Href("/book/%7Ealice.vcf") == Href("http://inner:8080/book/~alice.vcf")  // true
/// ```
public struct Href: Hashable, Sendable, CustomStringConvertible {
  /// The absolute path. Octets outside the unreserved set of RFC 3986 section 2.3 are escaped, in upper case; no dot
  /// segments; no trailing slash except for the root.
  public let path: String

  /// Parses an href of a server, or the path of a URL.
  ///
  /// - Parameters:
  ///   - reference: The href as the server sent it.
  ///   - collection: The base of relative references (RFC 3986 section 5.2), as if it ended with a slash.
  /// - Returns: nil for a relative reference without a base, and for a reference that names no resource.
  public init?(_ reference: some StringProtocol, in collection: Href? = nil) {
    // The common case, kept fast: an account of 10,000 cards has each href parsed four times.
    if reference.utf8.first == Self.slash, Self.isPlain(reference.utf8.dropFirst()) {
      self.path = String(reference)
      return
    }
    if let collection, Self.isPlain(reference.utf8) {
      self.path = collection.prefix + reference
      return
    }
    var octets = Array(reference.utf8)[...]
    // Xandikos 0.2 escapes an absolute URL as a whole: "http%3A//host%3A8080/path".
    if Self.hasPrefix(octets, "http%3a//") || Self.hasPrefix(octets, "https%3a//") { octets = Self.decode(octets)[...] }
    octets = octets.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if Self.hasPrefix(octets, "http://") || Self.hasPrefix(octets, "https://") {
      octets = octets.drop { $0 != Self.slash }
    }
    if Self.hasPrefix(octets, "//") {
      octets = octets.dropFirst(2).drop { $0 != Self.slash }
      if octets.isEmpty { octets = [Self.slash] }
    }
    guard let first = octets.first else { return nil }
    var segments: [[UInt8]] = []
    if first != Self.slash {
      guard let collection else { return nil }
      segments = collection.segments
    }
    for segment in octets.split(separator: Self.slash) {
      let name = Self.decode(segment)
      if name == Self.parent { _ = segments.popLast() } else if name != Self.current { segments.append(name) }
    }
    self.path = "/" + segments.map(Self.encode).joined(separator: "/")
  }

  /// True if the resource is a direct member of a collection.
  public func isChild(of collection: Href) -> Bool {
    let prefix = collection.prefix.utf8
    guard self.path.utf8.starts(with: prefix) else { return false }
    let name = self.path.utf8.dropFirst(prefix.count)
    return !name.isEmpty && !name.contains(Self.slash)
  }

  /// The last segment of the path; empty for the root.
  public var name: String {
    let octets = self.path.utf8
    return String(self.path[(octets.lastIndex(of: Self.slash).map(octets.index(after:)) ?? octets.startIndex)...])
  }

  /// The path.
  public var description: String { self.path }

  /// The beginning of the paths of members.
  private var prefix: String { self.path == "/" ? "/" : self.path + "/" }

  private static let slash = UInt8(ascii: "/")
  private static let current = Array(".".utf8)
  private static let parent = Array("..".utf8)

  private var segments: [[UInt8]] { self.path.utf8.split(separator: Self.slash).map { Self.decode($0) } }

  /// - Parameter prefix: In lower case.
  private static func hasPrefix(_ octets: ArraySlice<UInt8>, _ prefix: StaticString) -> Bool {
    guard octets.count >= prefix.utf8CodeUnitCount else { return false }
    // The string is static.
    return unsafe zip(octets, UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)).allSatisfy
    {
      octet, wanted in (octet &- 0x41 < 26 ? octet | 0x20 : octet) == wanted
    }
  }

  /// Decodes escapes (RFC 3986 section 2.1); a percent sign that starts no escape is kept.
  private static func decode(_ octets: some Collection<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(octets.count)
    var rest = octets[...]
    while let octet = rest.popFirst() {
      let digits = rest.prefix(2)
      if octet == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), digits.first != UInt8(ascii: "+")
      {
        decoded.append(value)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(octet)
      }
    }
    return decoded
  }

  private static func encode(_ octets: [UInt8]) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(octets.count)
    for octet in octets {
      if Self.isUnreserved(octet) {
        encoded.append(octet)
      } else {
        encoded += [UInt8(ascii: "%"), Self.digit(octet >> 4), Self.digit(octet & 15)]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func isUnreserved(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// True if segments are already in their one spelling. Escapes, and segments that start with a dot, need a closer
  /// look.
  private static func isPlain(_ segments: some Collection<UInt8>) -> Bool {
    var isBegin = true
    for octet in segments {
      if octet == Self.slash || octet == UInt8(ascii: ".") {
        guard !isBegin else { return false }
        isBegin = octet == Self.slash
      } else {
        guard Self.isUnreserved(octet) else { return false }
        isBegin = false
      }
    }
    return !isBegin
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x37 }
}
