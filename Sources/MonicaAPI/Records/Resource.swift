internal import KithMessages
internal import SwiftProtobuf

/// A record in Monica's API: one type for each kind, which parses its JSON and converts it to messages.
protocol Resource: Decodable, Sendable {
  /// The path of its records below `/api`.
  static var path: String { get }

  /// The list of the records; nil if the server has no such list.
  ///
  /// - Parameter person: The person whose records are requested; nil for all.
  static func list(of person: UInt64?) -> ListRoute?

  /// The path of a single record.
  static func target(_ id: UInt64) -> MonicaClient.Target

  var head: RecordHead { get }

  /// The record as a message; nil for a record of another kind in the same list.
  var record: RemoteRecord? { get }

  /// Its entry in a list: id and time, and the record if it is of the requested kind.
  var listed: RemoteRecord { get }
}

extension Resource {
  static func target(_ id: UInt64) -> MonicaClient.Target { MonicaClient.Target("\(Self.path)/\(id)") }

  var listed: RemoteRecord { self.record ?? self.head.remote }
}

/// The first fields of every record.
struct RecordHead: Sendable {
  var id: UInt64
  var uuid: String
  var createdAt: Google_Protobuf_Timestamp?
  var updatedAt: Google_Protobuf_Timestamp?

  /// Decodes the fields.
  ///
  /// - Throws: `DecodingError` without an id.
  init(_ fields: Fields) throws {
    self.id = try fields.id()
    self.uuid = fields.text("uuid")
    self.createdAt = fields.time("created_at")
    self.updatedAt = fields.time("updated_at")
  }

  /// A record without values.
  var remote: RemoteRecord {
    var remote = RemoteRecord()
    remote.monicaID = self.id
    remote.clientID = self.uuid
    if let updatedAt { remote.updatedAt = updatedAt }
    return remote
  }

  /// A record with values.
  ///
  /// - Parameter owner: The person whom it belongs to; nil or 0 for none, or for a deleted person.
  func remote(of owner: UInt64?, _ record: RemoteRecord.OneOf_Record) -> RemoteRecord {
    var remote = self.remote
    remote.owner = owner ?? 0
    remote.record = record
    return remote
  }

  /// The times of a message.
  func stamp<Record>(
    _ record: inout Record, _ created: WritableKeyPath<Record, Google_Protobuf_Timestamp>,
    _ updated: WritableKeyPath<Record, Google_Protobuf_Timestamp>
  ) {
    if let createdAt { record[keyPath: created] = createdAt }
    if let updatedAt { record[keyPath: updated] = updatedAt }
  }
}

/// A person inside another record.
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
