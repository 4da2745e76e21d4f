internal import KithMessages
internal import Storage

/// Brings together a record as it is here, as the server has it, and as both had it before.
///
/// Each field goes by itself. What one side changed is taken; what both changed alike is no matter; what both changed
/// differently is joined where the field can be joined (`MessageField.join`), and overlaps otherwise. What the server does not
/// say it has not changed.
struct ThreeWayMerge<Record: SyncedRecord>: Sendable {
  /// Both changes together. Overlapping fields have the local side.
  private(set) var body: Record
  /// What the server has; what it does not say is as it was before.
  private(set) var base: Record
  /// Names of fields that both sides changed, and that cannot be joined.
  private(set) var overlaps: [String] = []

  /// Brings two sides together.
  ///
  /// - Parameters:
  ///   - base: The state that both came from.
  ///   - unsaid: Names of fields that the server says nothing about.
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
