/// Colour by the codes of ECMA-48, or none.
struct Style: Sendable {
  let isOn: Bool

  func bold(_ text: String) -> String { self.wrap(text, "1") }
  func dim(_ text: String) -> String { self.wrap(text, "2") }
  func good(_ text: String) -> String { self.wrap(text, "32") }
  func bad(_ text: String) -> String { self.wrap(text, "31") }
  func notice(_ text: String) -> String { self.wrap(text, "33") }

  private func wrap(_ text: String, _ code: String) -> String { self.isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
