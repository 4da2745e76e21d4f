/// An authentication method that a 401 reply offers in `WWW-Authenticate`. RFC 9110 section 11.6.1.
struct AuthenticationChallenge: Hashable, Sendable {
  /// In lower case.
  let scheme: String
  /// By their names in lower case.
  private(set) var parameters: [String: String] = [:]

  /// Reads the challenges of all lines of the field.
  static func challenges(_ lines: [String]) -> [AuthenticationChallenge] { lines.flatMap { Self.challenges($0) } }

  /// A line may have several; a name before an equals sign is a parameter of the last one.
  private static func challenges(_ line: String) -> [AuthenticationChallenge] {
    var found: [AuthenticationChallenge] = []
    var rest = line.utf8[...]
    while true {
      rest = rest.drop { [0x20, 0x09, UInt8(ascii: ",")].contains($0) }
      let name = rest.prefix { ![0x20, 0x09, UInt8(ascii: ","), UInt8(ascii: "=")].contains($0) }
      guard !name.isEmpty else { return found }
      rest = rest.dropFirst(name.count)
      let value = rest.drop { $0 == 0x20 || $0 == 0x09 }
      let text = String(decoding: name, as: UTF8.self).lowercased()
      if value.first == UInt8(ascii: "=") {
        rest = value.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
        let parameter = Self.value(&rest)
        if !found.isEmpty { found[found.count - 1].parameters[text] = parameter }
      } else {
        found.append(AuthenticationChallenge(scheme: text))
      }
    }
  }

  /// Reads a token or a quoted string.
  private static func value(_ rest: inout Substring.UTF8View) -> String {
    guard rest.first == UInt8(ascii: "\"") else {
      let token = rest.prefix { ![0x20, 0x09, UInt8(ascii: ",")].contains($0) }
      rest = rest.dropFirst(token.count)
      return String(decoding: token, as: UTF8.self)
    }
    var bytes: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      bytes.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
