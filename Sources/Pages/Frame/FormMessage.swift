public import Bus
public import CivilTime
internal import SwiftProtobuf

/// Makes the JSON of a message from the fields of a form.
///
/// A name with dots is a field within a field (`record.note`), one with `[]` an entry of a list, and one with a number a field of that
/// entry (`record.messages[0].content`). A name may end with how its text is read: `:bool`, `:time` (local, such as `2026-11-24T08:10`), `:lines` and
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
      guard (1...Self.deepest).contains(path.count),
        path.dropLast().allSatisfy({ Self.isName(Self.entry($0)?.list ?? $0) }),
        path.last.map(Self.isName) == true
      else { throw .invalid(field: "\(name.prefix(64))", "is no name of a field.") }
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
      guard Self.put(read, at: path[...], in: &self.root) else {
        throw .invalid(
          field: "\(name.prefix(64))", "names an entry of a list that does not begin with 0, or has a gap.")
      }
    }
  }

  /// The message. The same fields give the same bytes, as a command that is sent again has to be the same.
  public var json: String { Self.json(Google_Protobuf_Value(structValue: self.root)) }

  /// A value with its fields in the order of their names, which a `Struct` itself does not have.
  private static func json(_ value: Google_Protobuf_Value) -> String {
    if case .listValue(let list) = value.kind { return "[\(list.values.map(Self.json).joined(separator: ","))]" }
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

  /// The list and the number of `messages[0]`; nil for a name without a number.
  private static func entry(_ name: String) -> (list: String, number: Int)? {
    guard name.hasSuffix("]"), let open = name.firstIndex(of: "["),
      let number = Int(name[name.index(after: open)...].dropLast())
    else { return nil }
    return (String(name[..<open]), number)
  }

  /// Puts a value at a path; entries of one list are joined, and of two other values the first counts.
  ///
  /// - Returns: Whether the list of a numbered entry has all entries before it.
  private static func put(
    _ value: Google_Protobuf_Value, at path: ArraySlice<String>, in object: inout Google_Protobuf_Struct
  ) -> Bool {
    guard let name = path.first else { return true }
    if let (list, number) = Self.entry(name) {
      var entries = object.fields[list]?.listValue ?? Google_Protobuf_ListValue()
      if number == entries.values.count { entries.values.append(Google_Protobuf_Value(structValue: .init())) }
      guard entries.values.indices.contains(number) else { return false }
      var entry = entries.values[number].structValue
      guard Self.put(value, at: path.dropFirst(), in: &entry) else { return false }
      entries.values[number] = Google_Protobuf_Value(structValue: entry)
      object.fields[list] = Google_Protobuf_Value(listValue: entries)
      return true
    }
    guard path.count == 1 else {
      var inner = object.fields[name]?.structValue ?? Google_Protobuf_Struct()
      guard Self.put(value, at: path.dropFirst(), in: &inner) else { return false }
      object.fields[name] = Google_Protobuf_Value(structValue: inner)
      return true
    }
    if case .listValue(let old) = object.fields[name]?.kind, case .listValue(let new) = value.kind {
      var list = old
      list.values += new.values
      object.fields[name] = Google_Protobuf_Value(listValue: list)
    } else if object.fields[name] == nil {
      object.fields[name] = value
    }
    return true
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
