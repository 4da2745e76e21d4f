/// A piece of HTML. Text that is put into it is escaped; only what is HTML by its type is not.
///
/// ```swift
/// let name = "<b>"
/// let page: HTML = "<p>\(name)</p>"  // <p>&lt;b&gt;</p>
/// ```
public struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The text of the page.
  public let text: String

  /// Takes HTML from the program's own text.
  public init(stringLiteral value: String) { self.text = value }

  /// Puts HTML together.
  public init(stringInterpolation: Interpolation) { self.text = stringInterpolation.text }

  /// Joins pieces.
  public init(_ parts: [HTML]) { self.text = parts.map(\.text).joined() }

  /// One piece after the other.
  public static func + (left: HTML, right: HTML) -> HTML { "\(left)\(right)" }

  /// Puts HTML together.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Begins.
    public init(literalCapacity: Int, interpolationCount: Int) { self.text.reserveCapacity(literalCapacity) }

    /// Adds the program's own text.
    public mutating func appendLiteral(_ literal: String) { self.text += literal }

    /// Adds a text, escaped for contents and for attributes in quotation marks.
    public mutating func appendInterpolation(_ text: String) {
      for character in text.unicodeScalars {
        switch character {
        case "&": self.text += "&amp;"
        case "<": self.text += "&lt;"
        case ">": self.text += "&gt;"
        case "\"": self.text += "&quot;"
        case "'": self.text += "&#39;"
        default: self.text.unicodeScalars.append(character)
        }
      }
    }

    /// Adds a whole number.
    public mutating func appendInterpolation(_ number: some BinaryInteger) { self.text += String(number) }

    /// Adds HTML.
    public mutating func appendInterpolation(_ html: HTML) { self.text += html.text }
  }
}
