internal import Foundation
internal import KithMessages
internal import SwiftProtobuf

/// Finds times in a message that are out of range: protobuf can carry them, JSON cannot.
///
/// The bounds are those of `google/protobuf/timestamp.proto` and `duration.proto`.
struct TimeCheck: Visitor {
  /// The location of an invalid time.
  private struct BadTime: Error {
    /// The number of the field in the visited message.
    let number: Int
    /// The rest of the path within that field.
    var rest = ""
    /// The id of the record in that field, if it has one.
    var id: String?
  }

  /// The id of the visited message, if its first field is a string, as in records.
  private var id: String?

  /// The path of the first invalid time, such as `records[ID].occurred_at`; nil if all are valid.
  static func badField<M: SwiftProtobuf.Message>(of message: M) -> String? {
    var check = TimeCheck()
    do {
      try message.traverse(visitor: &check)
      return nil
    } catch let bad as BadTime {
      return self.name(of: bad, in: M.self)
    } catch {
      return "?"
    }
  }

  mutating func visitSingularMessageField<M: SwiftProtobuf.Message>(value: M, fieldNumber: Int) throws {
    // The types are compared first, because a cast of every message took most of the time of a check.
    if M.self == Google_Protobuf_Timestamp.self, let time = value as? Google_Protobuf_Timestamp {
      guard time.isCalendarTime else { throw BadTime(number: fieldNumber) }
    } else if M.self == Google_Protobuf_Duration.self, let duration = value as? Google_Protobuf_Duration {
      guard duration.isCalendarTime else { throw BadTime(number: fieldNumber) }
    } else {
      let outer = self.id
      self.id = nil
      defer { self.id = outer }
      do {
        try value.traverse(visitor: &self)
      } catch let bad as BadTime {
        throw BadTime(number: fieldNumber, rest: "." + Self.name(of: bad, in: M.self), id: self.id)
      }
    }
  }

  mutating func visitRepeatedMessageField<M: SwiftProtobuf.Message>(value: [M], fieldNumber: Int) throws {
    for index in value.indices {
      do {
        try self.visitSingularMessageField(value: value[index], fieldNumber: fieldNumber)
      } catch let bad as BadTime {
        throw BadTime(number: bad.number, rest: "[\(bad.id ?? "\(index)")]" + bad.rest)
      }
    }
  }

  mutating func visitMapField<K, V: MapValueType>(
    fieldType: _ProtobufMap<K, V>.Type, value: _ProtobufMap<K, V>.BaseType, fieldNumber: Int
  ) throws {}

  mutating func visitMapField<K, V>(
    fieldType: _ProtobufEnumMap<K, V>.Type, value: _ProtobufEnumMap<K, V>.BaseType, fieldNumber: Int
  ) throws where V.RawValue == Int {}

  mutating func visitMapField<K, V>(
    fieldType: _ProtobufMessageMap<K, V>.Type, value: _ProtobufMessageMap<K, V>.BaseType, fieldNumber: Int
  ) throws {
    for element in value.values { try self.visitSingularMessageField(value: element, fieldNumber: fieldNumber) }
  }

  mutating func visitSingularStringField(value: String, fieldNumber: Int) { if fieldNumber == 1 { self.id = value } }

  mutating func visitSingularDoubleField(value: Double, fieldNumber: Int) {}
  mutating func visitSingularInt64Field(value: Int64, fieldNumber: Int) {}
  mutating func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) {}
  mutating func visitSingularBoolField(value: Bool, fieldNumber: Int) {}
  mutating func visitSingularBytesField(value: Data, fieldNumber: Int) {}
  mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) {}
  mutating func visitUnknown(bytes: Data) {}

  /// The path from a message to an invalid time in it.
  private static func name<M: SwiftProtobuf.Message>(of bad: BadTime, in type: M.Type) -> String {
    self.name(of: bad.number, in: type) + bad.rest
  }

  /// The name of a field in `proto/`. SwiftProtobuf passes names only to its encoders, so this encodes a message that has
  /// only this field.
  private static func name<M: SwiftProtobuf.Message>(of number: Int, in type: M.Type) -> String {
    var bytes: [UInt8] = []
    var tag = number << 3 | 2
    while tag > 0x7F {
      bytes.append(UInt8(tag & 0x7F) | 0x80)
      tag >>= 7
    }
    bytes += [UInt8(tag), 0]
    var options = JSONEncodingOptions()
    options.preserveProtoFieldNames = true
    guard let message = try? M(serializedBytes: bytes), let json = try? message.jsonString(options: options) else {
      return "\(number)"
    }
    return String(json.drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" })
  }
}

extension Google_Protobuf_Timestamp {
  /// Whether it lies in the years 1 to 9999 and has 0 to 999,999,999 nanoseconds.
  fileprivate var isCalendarTime: Bool {
    (-62_135_596_800...253_402_300_799).contains(self.seconds) && (0...999_999_999).contains(self.nanos)
  }
}

extension Google_Protobuf_Duration {
  /// Whether it has at most 10,000 years, and its parts one sign.
  fileprivate var isCalendarTime: Bool {
    (-315_576_000_000...315_576_000_000).contains(self.seconds) && (-999_999_999...999_999_999).contains(self.nanos)
      && (self.seconds == 0 || self.nanos == 0 || (self.seconds < 0) == (self.nanos < 0))
  }
}
