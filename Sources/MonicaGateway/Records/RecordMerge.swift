internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// ``ThreeWayMerge`` of records of any kind.
struct RecordMerge: Sendable {
  /// The merged record. Overlapping fields have the local side.
  let body: AnyRecord
  /// The server's version; fields that the server does not return are as in the old base.
  let base: AnyRecord
  /// The fields in which both sides differ, for people.
  let fields: [ConflictField]
  /// Whether the server's version differs from the old base.
  let isNews: Bool

  /// Names of fields that both sides changed, and that cannot be joined.
  var overlaps: [String] { self.fields.filter(\.overlaps).map(\.name) }

  /// Merges both sides.
  ///
  /// - Parameters:
  ///   - base: The version from which both sides started; nil if none is known. Then what only one side has filled in is kept, and a field that
  ///     both have filled in differently overlaps.
  ///   - unsaid: Names of fields that the server does not return.
  ///   - serverWins: Names of fields for which a person chose the server's side.
  ///   - localWins: Names of fields for which a person chose the side here.
  init(
    base: AnyRecord?, local: AnyRecord, server: AnyRecord, unsaid: [String], serverWins: Set<String> = [],
    localWins: Set<String> = []
  ) {
    self = Self.merge(local.record, base, server, unsaid, serverWins, localWins)
  }

  /// Merges both sides of a conflict, of which the server's version is stored whole.
  init(
    _ conflict: RecordConflict, server: AnyRecord, serverWins: Set<String> = [], localWins: Set<String> = []
  ) {
    self.init(
      base: conflict.base, local: conflict.local, server: server, unsaid: [], serverWins: serverWins,
      localWins: localWins)
  }

  private init(body: AnyRecord, base: AnyRecord, fields: [ConflictField], isNews: Bool) {
    self.body = body
    self.base = base
    self.fields = fields
    self.isNews = isNews
  }

  private static func merge<Record: SyncedRecord>(
    _ local: Record, _ common: AnyRecord?, _ server: AnyRecord, _ unsaid: [String], _ serverWins: Set<String>,
    _ localWins: Set<String>
  ) -> Self {
    var base = Record()
    if let common = common.flatMap(Record.init) {
      base = common
    } else {
      for field in Record.fields where unsaid.contains(field.name) { field.copy(local, &base) }
    }
    let server = Record(server) ?? Record()
    let merge = ThreeWayMerge(base: base, local: local, server: server, unsaid: unsaid)
    var body = merge.body
    for field in Record.fields where serverWins.contains(field.name) { field.copy(merge.base, &body) }
    for field in Record.fields where localWins.contains(field.name) { field.copy(local, &body) }
    let fields = Record.fields.filter { $0.isShared && !$0.isSame(local, merge.base) }.map { field in
      var shown = ConflictField()
      shown.name = field.name
      shown.local = field.text(local)
      shown.server = field.text(merge.base)
      shown.base = field.text(base)
      shown.overlaps = merge.overlaps.contains(field.name)
      return shown
    }
    var before = base
    before.id = merge.base.id
    before.monicaID = merge.base.monicaID
    before.syncState = merge.base.syncState
    for field in Record.fields where field.rules.place == .hub { field.copy(local, &before) }
    return Self(body: body.any, base: merge.base.any, fields: fields, isNews: before != merge.base)
  }
}
