/// A JSON value (RFC 8259). Members keep their order and numbers their digits, so that the same value is always the same bytes.
///
/// ```swift
/// let message = try JSON(bytes: Array(#"{"id":1}"#.utf8))
/// message["id"]  // .number("1")
/// ```
public indirect enum JSON: Sendable, Hashable {
  case null
  case flag(Bool)
  /// A number as it was written.
  case number(String)
  case text(String)
  case list([JSON])
  case object([Member])

  /// A member of an object.
  public struct Member: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// Its value.
    public let value: JSON
  }

  /// What is wrong with bytes that are no JSON value.
  struct SyntaxError: Error, Hashable {
    let what: String
  }

  /// Reads one value, and nothing after it but white space.
  ///
  /// - Throws: ``SyntaxError``; also for a name that an object has twice, for nesting of more than 32 levels, and for bytes that are
  ///   not UTF-8.
  init(bytes: [UInt8]) throws(SyntaxError) {
    var reader = JSONReader(bytes)
    self = try reader.whole()
  }

  /// The value of a member; nil if there is none, or this is no object.
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The text; nil if it is none.
  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The members; nil if it is no object.
  var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The entries; nil if it is no list.
  var entries: [JSON]? { if case .list(let entries) = self { entries } else { nil } }

  /// Whether it is an object.
  var isObject: Bool { self.members != nil }

  /// The bytes, without white space, on one line.
  public var bytes: [UInt8] { Array(self.line.utf8) }

  /// The text of ``bytes``.
  var line: String {
    switch self {
    case .null: "null"
    case .flag(let flag): flag ? "true" : "false"
    case .number(let digits): digits
    case .text(let text): Self.quoted(text)
    case .list(let entries): "[\(entries.map(\.line).joined(separator: ","))]"
    case .object(let members): "{\(members.map { "\(Self.quoted($0.name)):\($0.value.line)" }.joined(separator: ","))}"
    }
  }

  /// An object of members that are not nil, in this order.
  public static func make(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  /// A list of texts.
  public static func texts(_ texts: [String]) -> JSON { .list(texts.map(JSON.text)) }

  /// A whole number.
  public static func number(_ number: some BinaryInteger) -> JSON { .number("\(number)") }

  /// The object with a member before the others.
  func beginning(with name: String, _ value: JSON) -> JSON {
    .object([Member(name: name, value: value)] + (self.members ?? []))
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      // U+2028 and U+2029 end a line for some readers.
      case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x2028 || scalar.value == 0x2029:
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }

  /// True or false.
  public init(booleanLiteral value: Bool) { self = .flag(value) }
}
