internal import Foundation
internal import SwiftProtobuf

extension SwiftProtobuf.Message {
  /// An upper bound of the message's bytes in a reply, in protobuf or proto3 JSON: its texts with JSON's escapes, and the names of its
  /// fields.
  ///
  /// Writing a contact to get the exact number took as long as reading it from the store.
  var roomInReply: Int {
    var room = RoomInReply()
    do {
      try self.traverse(visitor: &room)
      return room.bytes
    } catch {
      return .max
    }
  }
}

/// Adds up what the fields of a message take.
private struct RoomInReply: Visitor {
  /// A field that is not added up, because no record has one.
  private struct Map: Error {}

  /// The name of a field with quotation marks, colon and comma, or its number.
  private static let name = 32
  /// A number, or the name of a choice. A stamp has two numbers.
  private static let value = 40
  /// What surrounds a text, a list or a message.
  private static let marks = 4

  private(set) var bytes = 2 * Self.marks

  mutating func visitSingularStringField(value: String, fieldNumber: Int) {
    self.bytes += Self.name + Self.marks + value.bytesInJSON
  }

  mutating func visitRepeatedStringField(value: [String], fieldNumber: Int) {
    self.bytes += Self.name + Self.marks
    for text in value { self.bytes += Self.marks + text.bytesInJSON }
  }

  mutating func visitSingularMessageField<M: SwiftProtobuf.Message>(value: M, fieldNumber: Int) throws {
    self.bytes += Self.name + Self.marks
    try value.traverse(visitor: &self)
  }

  mutating func visitSingularBytesField(value: Data, fieldNumber: Int) {
    self.bytes += Self.name + Self.marks + (value.count + 2) / 3 * 4
  }

  mutating func visitSingularDoubleField(value: Double, fieldNumber: Int) { self.bytes += Self.name + Self.value }
  mutating func visitSingularInt64Field(value: Int64, fieldNumber: Int) { self.bytes += Self.name + Self.value }
  mutating func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) { self.bytes += Self.name + Self.value }
  mutating func visitSingularBoolField(value: Bool, fieldNumber: Int) { self.bytes += Self.name + Self.value }
  mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) { self.bytes += Self.name + Self.value }
  mutating func visitUnknown(bytes: Data) { self.bytes += bytes.count }

  mutating func visitMapField<K, V: MapValueType>(
    fieldType: _ProtobufMap<K, V>.Type, value: _ProtobufMap<K, V>.BaseType, fieldNumber: Int
  ) throws { throw Map() }

  mutating func visitMapField<K, V>(
    fieldType: _ProtobufEnumMap<K, V>.Type, value: _ProtobufEnumMap<K, V>.BaseType, fieldNumber: Int
  ) throws where V.RawValue == Int { throw Map() }

  mutating func visitMapField<K, V>(
    fieldType: _ProtobufMessageMap<K, V>.Type, value: _ProtobufMessageMap<K, V>.BaseType, fieldNumber: Int
  ) throws { throw Map() }
}

extension String {
  /// An upper bound of the text's bytes in proto3 JSON, which escapes U+0000 to U+001F and U+007F to U+009F with six
  /// bytes.
  fileprivate var bytesInJSON: Int {
    let bytes = self.utf8Span.span
    var count = bytes.count
    for index in bytes.indices {
      switch bytes[index] {
      case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E, 0x80...0xC1, 0xC3...0xFF: break
      case 0x08...0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): count += 1
      // The first of two bytes; half of those pairs are control characters.
      case 0xC2: count += 4
      default: count += 5
      }
    }
    return count
  }
}
