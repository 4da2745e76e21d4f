internal import KithMessages
internal import Storage

/// Merges the local version of a record with the server's, field by field against their base.
///
/// A field that one side changed has that side's value. A field that both sides changed differently is joined if
/// `MessageField.join` can, and overlaps otherwise. A field that the server does not return counts as unchanged there.
struct ThreeWayMerge<Record: SyncedRecord>: Sendable {
  /// The merged record. Overlapping fields have the local side.
  private(set) var body: Record
  /// The server's version; fields that the server does not return are as in the old base.
  private(set) var base: Record
  /// Names of fields that both sides changed, and that cannot be joined.
  private(set) var overlaps: [String] = []

  /// Merges both sides.
  ///
  /// - Parameters:
  ///   - base: The version from which both sides started.
  ///   - unsaid: Names of fields that the server does not return.
  init(base: Record, local: Record, server: Record, unsaid: [String] = []) {
    var server = server
    server.id = local.id
    if server.personID.isEmpty { server.personID = local.personID }
    for field in Record.fields where field.isMerged {
      field.align(local, &server)
      if field.rules.place == .hub {
        field.copy(local, &server)
      } else if unsaid.contains(field.name) {
        field.copy(base, &server)
      }
    }
    self.base = server
    self.body = server
    for field in Record.fields
    where field.isMerged && !field.isSame(local, server) && !field.isSame(local, base) {
      if field.isSame(server, base) {
        field.copy(local, &self.body)
      } else if !field.join(base, local, server, &self.body) {
        field.copy(local, &self.body)
        self.overlaps.append(field.name)
      }
    }
  }

  /// Whether two records differ in what the server keeps.
  static func differ(_ left: Record, _ right: Record) -> Bool {
    Record.fields.contains { $0.isShared && !$0.isSame(left, right) }
  }
}
