internal import KithMessages
internal import SwiftProtobuf

/// A message and the names of the fields that the command line set in it.
struct Changes<Record: SwiftProtobuf.Message> {
  private(set) var record = Record()
  /// Names as in `proto/`.
  private(set) var fields: [String] = []

  /// Sets a field; nil leaves it unchanged.
  mutating func set<Value>(_ path: WritableKeyPath<Record, Value>, _ field: String, _ value: Value?) {
    guard let value else { return }
    self.record[keyPath: path] = value
    self.fields.append(field)
  }

  /// Sets a field with several values; no values leave it unchanged, and one empty text empties it.
  mutating func set(_ path: WritableKeyPath<Record, [String]>, _ field: String, all values: [String]) {
    self.set(path, field, values.isEmpty ? nil : values.filter { !$0.isEmpty })
  }

  /// Sets a field to the words of the command line, joined by spaces; no words leave it unchanged.
  mutating func set(_ path: WritableKeyPath<Record, String>, _ field: String, words: [String]) {
    self.set(path, field, words.isEmpty ? nil : words.joined(separator: " "))
  }
}

extension Changes where Record: Commands.Record {
  /// Makes an empty change of an existing record.
  init(id: String) { self.record.id = id }
}
