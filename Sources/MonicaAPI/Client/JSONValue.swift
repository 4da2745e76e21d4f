/// A JSON value for request bodies.
enum JSONValue: Hashable, Sendable {
  case null
  case flag(Bool)
  case number(Int)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// A text, or null if it is empty; the server stores an empty text as null in any case.
  static func textOrNull(_ text: String) -> JSONValue { text.isEmpty ? .null : .text(text) }

  /// An id, or null without one.
  static func id(_ id: UInt64?) -> JSONValue { id.flatMap { Int(exactly: $0) }.map { .number($0) } ?? .null }
}

extension JSONValue: Encodable {
  /// Writes the value alone.
  func encode(to encoder: any Swift.Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let values): try container.encode(values)
    case .object(let fields): try container.encode(fields)
    }
  }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  init(booleanLiteral value: Bool) { self = .flag(value) }
  init(integerLiteral value: Int) { self = .number(value) }
  init(stringLiteral value: String) { self = .text(value) }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByNilLiteral {
  init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
  init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
  init(nilLiteral: ()) { self = .null }
}
