internal import SwiftProtobuf

/// The fields of a JSON object, read as servers write them: a number may be a text, a missing key equals null, and PHP
/// writes an empty object as an empty list.
struct Fields {
  private let container: KeyedDecodingContainer<Name>

  /// The name of any field.
  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { self.stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Opens an object.
  ///
  /// - Throws: `DecodingError` for any other value.
  init(_ decoder: any Swift.Decoder) throws { self.container = try decoder.container(keyedBy: Name.self) }

  /// Whether a field exists and is not null.
  func has(_ name: String) -> Bool { (try? self.container.decodeNil(forKey: Name(name))) == false }

  /// A text; a number as it is written; empty for anything else.
  func text(_ name: String) -> String {
    guard self.has(name) else { return "" }
    let key = Name(name)
    if let text = try? self.container.decode(String.self, forKey: key) { return text }
    if let number = try? self.container.decode(Int64.self, forKey: key) { return String(number) }
    if let number = try? self.container.decode(Double.self, forKey: key) { return number.description }
    return ""
  }

  /// A whole number.
  func number(_ name: String) -> Int64? {
    guard self.has(name) else { return nil }
    let key = Name(name)
    if let number = try? self.container.decode(Int64.self, forKey: key) { return number }
    return (try? self.container.decode(String.self, forKey: key)).flatMap { Int64($0) }
  }

  /// A Boolean; also as 1 and 0.
  func flag(_ name: String) -> Bool? {
    guard self.has(name) else { return nil }
    if let flag = try? self.container.decode(Bool.self, forKey: Name(name)) { return flag }
    return switch self.text(name) {
    case "1", "true": true
    case "0", "false": false
    default: nil
    }
  }

  /// A time; nil if the field has none.
  func time(_ name: String) -> Google_Protobuf_Timestamp? { ServerTime.stamp(self.text(name)) }

  /// The id, which every record must have.
  func id(_ name: String = "id") throws -> UInt64 {
    guard let number = self.number(name), let id = UInt64(exactly: number), id > 0 else { throw self.missing(name) }
    return id
  }

  /// An object; nil if the field has none.
  func object<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
    guard self.has(name), (try? self.container.nestedContainer(keyedBy: Name.self, forKey: Name(name))) != nil else {
      return nil
    }
    return try self.container.decode(type, forKey: Name(name))
  }

  /// A list; nil if the field has none.
  func list<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> [Value]? {
    guard self.has(name), (try? self.container.nestedUnkeyedContainer(forKey: Name(name))) != nil else { return nil }
    return try self.container.decode([Value].self, forKey: Name(name))
  }

  /// The names of all fields.
  var names: [String] { self.container.allKeys.map(\.stringValue) }

  /// The error for a required field that is missing.
  func missing(_ name: String) -> DecodingError {
    .keyNotFound(
      Name(name), DecodingError.Context(codingPath: self.container.codingPath, debugDescription: "it is missing"))
  }
}
