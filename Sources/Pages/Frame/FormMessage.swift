public import Bus
public import CivilTime
internal import SwiftProtobuf

/// Makes the JSON of a message from the fields of a form.
///
/// A name with dots is a field within a field (`record.note`), one with `[]` an entry of a list. A name may end with how its text is
/// read: `:bool`, `:time` (local, such as `2026-11-24T08:10`), `:lines` and
/// `:words` (an entry for each line or word). Empty texts are left out; so are `form`,
/// `key` and `next`. Scripts do the same: Sources/WebFiles/pages/form.js; both are tried with Tests/vectors/forms.json.
///
/// ```swift
/// try FormMessage([("record.note", "Walk"), ("record.tags[]", "garden")], zone: zone).json
/// // {"record":{"note":"Walk","tags":["garden"]}}
/// ```
public struct FormMessage: Sendable {
  private static let deepest = 4

  private var root = Google_Protobuf_Struct()

  /// Reads fields.
  ///
  /// - Throws: `INVALID_ARGUMENT` with the field.
  public init(_ fields: [(name: String, value: String)], zone: Zone) throws(Failure) {
    for (name, value) in fields where !value.isEmpty && !["form", "key", "next"].contains(name) {
      let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let isList = parts[0].hasSuffix("[]")
      let path = (isList ? parts[0].dropLast(2) : parts[0]).split(separator: ".", omittingEmptySubsequences: false)
        .map(String.init)
      guard (1...Self.deepest).contains(path.count), path.allSatisfy(Self.isName) else {
        throw .invalid(field: "\(name.prefix(64))", "is no name of a field.")
      }
      let read: Google_Protobuf_Value
      switch parts.count > 1 ? parts[1] : "" {
      case "bool": read = Google_Protobuf_Value(boolValue: value == "true" || value == "on")
      case "time": read = Google_Protobuf_Value(stringValue: try Self.stamp(value, name, zone))
      case "lines": read = Self.list(value.split(whereSeparator: \.isNewline).map(String.init))
      case "words": read = Self.list(value.split(whereSeparator: \.isWhitespace).map(String.init))
      case "" where isList: read = Self.list([value])
      case "": read = Google_Protobuf_Value(stringValue: value)
      default: throw .invalid(field: "\(name.prefix(64))", "is no name of a field.")
      }
      Self.put(read, at: path[...], in: &self.root)
    }
  }

  /// The message. The same fields give the same bytes, as a command that is sent again has to be the same.
  public var json: String { Self.json(Google_Protobuf_Value(structValue: self.root)) }

  /// A value with its fields in the order of their names, which a `Struct` itself does not have.
  private static func json(_ value: Google_Protobuf_Value) -> String {
    guard case .structValue(let object) = value.kind else { return (try? value.jsonString()) ?? "null" }
    let fields = object.fields.sorted { $0.key < $1.key }
      .map { "\(Self.json(Google_Protobuf_Value(stringValue: $0.key))):\(Self.json($0.value))" }
    return "{\(fields.joined(separator: ","))}"
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.first.map { $0.isLetter } == true
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  private static func list(_ entries: [String]) -> Google_Protobuf_Value {
    var list = Google_Protobuf_ListValue()
    list.values = entries.map { Google_Protobuf_Value(stringValue: $0) }
    return Google_Protobuf_Value(listValue: list)
  }

  /// Puts a value at a path; entries of one list are joined, and of two other values the first counts.
  private static func put(
    _ value: Google_Protobuf_Value, at path: ArraySlice<String>, in object: inout Google_Protobuf_Struct
  ) {
    guard let name = path.first else { return }
    guard path.count == 1 else {
      var inner = object.fields[name]?.structValue ?? Google_Protobuf_Struct()
      Self.put(value, at: path.dropFirst(), in: &inner)
      object.fields[name] = Google_Protobuf_Value(structValue: inner)
      return
    }
    if case .listValue(let old) = object.fields[name]?.kind, case .listValue(let new) = value.kind {
      var list = old
      list.values += new.values
      object.fields[name] = Google_Protobuf_Value(listValue: list)
    } else if object.fields[name] == nil {
      object.fields[name] = value
    }
  }

  /// A local time as RFC 3339.
  private static func stamp(_ text: String, _ field: String, _ zone: Zone) throws(Failure) -> String {
    let parts = text.split(separator: "T", maxSplits: 1)
    guard parts.count == 2, let day = Day(parts[0]), let time = TimeOfDay(parts[1].prefix(5)),
      let instant = zone.instant(of: day, at: time)
    else { throw .invalid(field: "\(field.prefix(64))", "is no time. Enter one such as 2026-11-24T08:10.") }
    return Google_Protobuf_Timestamp(nanosecondsSince1970: instant).rfc3339
  }
}

extension Google_Protobuf_Timestamp {
  /// The text of it in JSON: `2026-11-24T08:10:00Z`.
  var rfc3339: String { ((try? self.jsonString()) ?? "").filter { $0 != "\"" } }
}
