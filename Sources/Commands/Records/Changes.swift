internal import KithMessages
internal import SwiftProtobuf

/// A message with what was said of it, and which of its fields that were.
struct Changes<Record: SwiftProtobuf.Message> {
  private(set) var record = Record()
  /// Names as in `proto/`.
  private(set) var fields: [String] = []

  /// Sets a field; nil leaves it alone.
  mutating func set<Value>(_ path: WritableKeyPath<Record, Value>, _ field: String, _ value: Value?) {
    guard let value else { return }
    self.record[keyPath: path] = value
    self.fields.append(field)
  }

  /// Sets a field of several values; none leave it alone, and one empty text empties it.
  mutating func set(_ path: WritableKeyPath<Record, [String]>, _ field: String, all values: [String]) {
    self.set(path, field, values.isEmpty ? nil : values.filter { !$0.isEmpty })
  }

  /// Sets a field to words that were typed one by one; none leave it alone.
  mutating func set(_ path: WritableKeyPath<Record, String>, _ field: String, words: [String]) {
    self.set(path, field, words.isEmpty ? nil : words.joined(separator: " "))
  }
}

extension Changes where Record: Commands.Record {
  /// Begins with nothing said of a record that exists.
  init(id: String) { self.record.id = id }
}
