internal import Bus
internal import CivilTime
internal import Foundation
internal import KithMessages
internal import SwiftProtobuf

/// What a tool tells of a message: some of its fields, by the names and with the types of `proto/`.
struct Shape: Sendable {
  /// A part of it.
  enum Part: Sendable {
    /// A field with a value of its own.
    case field(String)
    /// A message within.
    case one(String, Shape)
    /// A list of messages.
    case each(String, Shape)
    /// Something that is no field of the message, with its schema.
    case own(String, JSON)

    var name: String {
      switch self {
      case .field(let name), .one(let name, _), .each(let name, _), .own(let name, _): name
      }
    }
  }

  let message: String
  let parts: [Part]
  /// The most characters of a text that is told.
  let longestText: Int

  /// Names plain fields of a message.
  init(_ message: String, _ fields: [String] = [], _ others: [Part] = [], longestText: Int = 2000) {
    self.message = message
    self.parts = fields.map(Part.field) + others
    self.longestText = longestText
  }

  /// Its JSON Schema. What is told may have more words and longer texts than what is taken, so those limits are not in it.
  var schema: JSON {
    .make([
      "type": "object", "properties": .object(self.parts.map { .init(name: $0.name, value: self.schema(of: $0)) }),
    ])
  }

  private func schema(of part: Part) -> JSON {
    switch part {
    case .field(let name): Self.told(FieldSchema.of("\(self.message).\(name)"))
    case .one(_, let shape): shape.schema
    case .each(_, let shape): .make(["type": "array", "items": shape.schema])
    case .own(_, let schema): schema
    }
  }

  private static func told(_ schema: JSON) -> JSON {
    .object(
      (schema.members ?? []).filter { ["description", "type", "format", "items"].contains($0.name) }.map {
        $0.name == "items" ? .init(name: "items", value: Self.told($0.value)) : $0
      })
  }

  /// What is told of a message; absent fields are left out.
  func json(_ message: some SwiftProtobuf.Message, in zone: Zone) throws(Failure) -> JSON {
    var options = JSONEncodingOptions()
    options.preserveProtoFieldNames = true
    do {
      return self.picked(try JSON(bytes: try message.jsonUTF8Bytes(options: options)), zone)
    } catch {
      throw .bug("a \(self.message) that is no JSON")
    }
  }

  private func picked(_ value: JSON, _ zone: Zone) -> JSON {
    .object(
      self.parts.compactMap { part in
        guard let inner = value[part.name] else { return nil }
        switch part {
        case .one(_, let shape): return .init(name: part.name, value: shape.picked(inner, zone))
        case .each(_, let shape):
          return .init(name: part.name, value: .list((inner.entries ?? []).map { shape.picked($0, zone) }))
        case .field, .own: return .init(name: part.name, value: self.plain(inner, part, zone))
        }
      })
  }

  /// A value for a reader who knows the household's clocks, and not too long.
  private func plain(_ value: JSON, _ part: Part, _ zone: Zone) -> JSON {
    guard case .text(let text) = value else { return value }
    if self.schema(of: part)["format"] == "date-time",
      let time = try? Google_Protobuf_Timestamp(jsonString: "\"\(text)\"")
    {
      return .text(zone.stamp(time.nanosecondsSince1970))
    }
    guard text.unicodeScalars.count > self.longestText else { return value }
    let head = String(String.UnicodeScalarView(text.unicodeScalars.prefix(self.longestText)))
    return .text("\(head)… (cut: it has \(text.unicodeScalars.count) characters)")
  }
}
