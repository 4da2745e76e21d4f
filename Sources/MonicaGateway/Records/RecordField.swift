internal import Bus
internal import FoundationEssentials
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// A record whose fields are listed.
protocol FieldedRecord: SyncedRecord {
  /// What people change of it and what only the hub keeps.
  static var fields: [RecordField<Self>] { get }
}

/// One field of a record: how it is compared, taken over, shown, and brought together when both sides changed it.
struct RecordField<Record: FieldedRecord>: Sendable {
  /// Where it is kept.
  enum Place: Sendable {
    /// Here and on the server.
    case both
    /// Here alone; nothing of it is ever sent.
    case hub
  }

  /// As in `proto/`: "first_name".
  let name: String
  /// Where it is kept.
  let place: Place
  /// Whether a person may change it.
  let isEditable: Bool
  /// Whether two records agree in it.
  let isSame: @Sendable (Record, Record) -> Bool
  /// Takes it over from another record.
  let copy: @Sendable (_ source: Record, _ target: inout Record) -> Void
  /// As people read it.
  let text: @Sendable (Record) -> String
  /// Gives the parts of it that the server has the names that they have here.
  let align: @Sendable (_ local: Record, _ server: inout Record) -> Void
  /// Puts both changes into the last record.
  ///
  /// - Returns: False when they exclude each other; nothing is put then.
  let join: @Sendable (_ base: Record, _ local: Record, _ server: Record, _ result: inout Record) -> Bool

  private init<Value: Sendable>(
    name: String, place: Place, isEditable: Bool = true,
    get: @escaping @Sendable (Record) -> Value, set: @escaping @Sendable (inout Record, Value) -> Void,
    isSame: @escaping @Sendable (Value, Value) -> Bool, text: @escaping @Sendable (Value) -> String,
    align: (@Sendable (_ local: Value, _ server: Value) -> Value)? = nil,
    join: @escaping @Sendable (_ base: Value, _ local: Value, _ server: Value) -> Value? = { _, _, _ in nil }
  ) {
    self.name = name
    self.place = place
    self.isEditable = isEditable
    self.isSame = { isSame(get($0), get($1)) }
    self.copy = { set(&$1, get($0)) }
    self.text = { text(get($0)) }
    self.align = { local, server in
      if let align { set(&server, align(get(local), get(server))) }
    }
    self.join = { base, local, server, result in
      guard let joined = join(get(base), get(local), get(server)) else { return false }
      set(&result, joined)
      return true
    }
  }

  /// A value that is one thing or another: changed on both sides it is a conflict.
  static func value<Value: Equatable & CustomStringConvertible & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable
  ) -> Self {
    Self(
      name: name, place: .both, get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 }, isSame: ==,
      text: { $0.description })
  }

  /// A text that people write on in: what one side appended is appended to what the other side has.
  ///
  /// - Parameter limit: How long it may become.
  static func text(
    _ name: String, _ path: any WritableKeyPath<Record, String> & Sendable, limit: TextLimit
  ) -> Self {
    Self(
      name: name, place: .both, get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 },
      isSame: ==, text: { $0 },
      join: { TextJoin.join(base: $0, local: $1, server: $2).flatMap { limit.holds($0) ? $0 : nil } })
  }

  /// Names without order: what either side added is there, what either side took away is not.
  static func set(
    _ name: String, _ path: any WritableKeyPath<Record, [String]> & Sendable
  ) -> Self {
    Self(
      name: name, place: .both, get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 },
      isSame: { Set($0) == Set($1) }, text: { $0.joined(separator: ", ") },
      join: { base, local, server in
        let (before, here) = (Set(base), Set(local))
        let removed = before.subtracting(here)
        return server.filter { !removed.contains($0) }
          + local.filter { !before.contains($0) && !server.contains($0) }
      })
  }

  /// A moment, or none. The server keeps whole seconds.
  static func time(
    _ name: String, get: @escaping @Sendable (Record) -> Google_Protobuf_Timestamp?,
    set: @escaping @Sendable (inout Record, Google_Protobuf_Timestamp?) -> Void
  ) -> Self {
    Self(
      name: name, place: .both, get: get, set: set, isSame: { $0?.seconds == $1?.seconds },
      text: { $0.map { $0.date.formatted(.iso8601) } ?? "" })
  }

  /// The messages of a conversation, each brought together by itself.
  static func messages(
    _ name: String, _ path: any WritableKeyPath<Record, [ConversationMessage]> & Sendable
  ) -> Self {
    Self(
      name: name, place: .both, get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 },
      isSame: MessageJoin.isSame, text: { $0.map(\.content).joined(separator: "\n") }, align: MessageJoin.align,
      join: MessageJoin.join)
  }

  /// What the hub keeps beside the record.
  static func kept<Value: Equatable & Sendable>(
    _ name: String, isEditable: Bool, get: @escaping @Sendable (Record) -> Value,
    set: @escaping @Sendable (inout Record, Value) -> Void
  ) -> Self {
    Self(name: name, place: .hub, isEditable: isEditable, get: get, set: set, isSame: ==, text: { _ in "" })
  }
}

extension FieldedRecord {
  /// Changes the record as a request asks: takes over the fields that it names; none named: those that are not empty.
  ///
  /// - Parameters:
  ///   - names: As in `proto/`.
  ///   - other: The record of the request.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a name that no field has that people change.
  mutating func take(_ names: [String], of other: Self) throws(Failure) {
    for field in try Self.fields(named: names, of: other) { field.copy(other, &self) }
  }

  /// The fields that a request changes: those that it names; none named: those that are not empty.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a name that no field has that people change.
  static func fields(named names: [String], of other: Self) throws(Failure) -> [RecordField<Self>] {
    let editable = Self.fields.filter(\.isEditable)
    if let unknown = names.first(where: { name in !editable.contains { $0.name == name } }) {
      throw .invalid(
        field: "fields",
        "'\(unknown.prefix(64))' is no field that can be changed. These are: \(editable.map(\.name).joined(separator: ", "))."
      )
    }
    let empty = Self()
    return editable.filter { names.isEmpty ? !$0.isSame(other, empty) : names.contains($0.name) }
  }
}
