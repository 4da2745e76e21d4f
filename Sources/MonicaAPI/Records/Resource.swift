internal import KithMessages
internal import SwiftProtobuf

/// A record as Monica's API gives it: one type for each kind, which reads its JSON and knows what it means in messages.
protocol Resource: Decodable, Sendable {
  /// The path of its records below `/api`.
  static var path: String { get }

  /// Where it is listed; nil where the server has no such list.
  ///
  /// - Parameter person: Whose records alone are wanted.
  static func list(of person: UInt64?) -> ListRoute?

  /// Where a single one is read.
  static func target(_ id: UInt64) -> MonicaClient.Target

  var head: RecordHead { get }

  /// What it says; nil for a record of another kind that shares the list.
  var record: RemoteRecord? { get }

  /// Its place in a list: its id and stamp, and the record if it is of the kind that was asked for.
  var listed: RemoteRecord { get }
}

extension Resource {
  static func target(_ id: UInt64) -> MonicaClient.Target { MonicaClient.Target("\(Self.path)/\(id)") }

  var listed: RemoteRecord { self.record ?? self.head.remote }
}

/// What all records begin with.
struct RecordHead: Sendable {
  var id: UInt64
  var uuid: String
  var createdAt: Google_Protobuf_Timestamp?
  var updatedAt: Google_Protobuf_Timestamp?

  /// Reads it.
  ///
  /// - Throws: `DecodingError` without an id.
  init(_ fields: Fields) throws {
    self.id = try fields.id()
    self.uuid = fields.text("uuid")
    self.createdAt = fields.time("created_at")
    self.updatedAt = fields.time("updated_at")
  }

  /// A record that says nothing yet.
  var remote: RemoteRecord {
    var remote = RemoteRecord()
    remote.monicaID = self.id
    remote.clientID = self.uuid
    if let updatedAt { remote.updatedAt = updatedAt }
    return remote
  }

  /// A record that says something.
  ///
  /// - Parameter owner: The person that it belongs to; nil or 0 for nobody, or somebody deleted.
  func remote(of owner: UInt64?, _ record: RemoteRecord.OneOf_Record) -> RemoteRecord {
    var remote = self.remote
    remote.owner = owner ?? 0
    remote.record = record
    return remote
  }

  /// The stamps of a message.
  func stamp<Record>(
    _ record: inout Record, _ created: WritableKeyPath<Record, Google_Protobuf_Timestamp>,
    _ updated: WritableKeyPath<Record, Google_Protobuf_Timestamp>
  ) {
    if let createdAt { record[keyPath: created] = createdAt }
    if let updatedAt { record[keyPath: updated] = updatedAt }
  }
}

/// A person inside of another record.
struct ShortPerson: Decodable, Sendable {
  let id: UInt64
  let name: String
  let isPartial: Bool

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.id = try fields.id()
    self.name = fields.text("complete_name")
    self.isPartial = fields.flag("is_partial") ?? false
  }
}
