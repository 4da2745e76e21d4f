/// Where a way to reach a person leads: a phone dials a number, a mail program writes to an address, a browser opens a page.
///
/// ```swift
/// ReachLink(type: "phone", data: "+81 3-1234-5678")?.address  // "tel:+81312345678"
/// ```
public struct ReachLink: Sendable, Hashable {
  /// The address, as a link has it.
  public let address: String

  /// A link to an address.
  public init(to address: String) { self.address = address }

  /// Decides by the kind of way and by its text; nil if it leads nowhere, such as a name on a service.
  ///
  /// - Parameters:
  ///   - type: The name of the kind: `email`, `phone`, or another one of the server.
  ///   - data: The number, the address or the name.
  public init?(type: String, data: String) {
    let kind = type.lowercased()
    let isOneWord = !data.contains(where: \.isWhitespace)
    if data.hasPrefix("https://") || data.hasPrefix("http://") {
      guard isOneWord else { return nil }
      self.address = data
    } else if isOneWord, Self.isMailAddress(data) {
      self.address = "mailto:\(data)"
    } else if let number = Self.number(data, isPhone: kind == "phone") {
      self.address = "tel:\(number)"
    } else if isOneWord, data.contains("."), ["web", "site", "url", "blog"].contains(where: kind.contains) {
      self.address = "https://\(data)"
    } else {
      return nil
    }
  }

  /// The number as a phone dials it. A phone number ends before its first letter, where an extension begins.
  private static func number(_ data: String, isPhone: Bool) -> String? {
    let dialled = isPhone ? String(data.prefix { !$0.isLetter }) : data
    guard !dialled.contains(where: \.isLetter) else { return nil }
    let digits = dialled.compactMap { sign -> String? in
      "+*#".contains(sign) ? String(sign) : sign == "＋" ? "+" : sign.wholeNumberValue.map { "\($0)" }
    }.joined()
    return digits.count(where: \.isNumber) >= 2 ? digits : nil
  }

  private static func isMailAddress(_ data: String) -> Bool {
    let parts = data.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && parts[1].first != "."
  }
}
