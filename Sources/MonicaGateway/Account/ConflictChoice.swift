internal import Bus
internal import KithMessages
internal import Storage

/// The outcome that a person chose for a conflict.
struct ConflictChoice: Sendable {
  /// The record to store; nil to delete it.
  let body: AnyRecord?

  /// Reads the choice of a request.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for an unknown choice.
  init(_ request: ResolveConflictRequest, of conflict: RecordConflict) throws(Failure) {
    try Self.check(request)
    switch request.knownKeep {
    case .local:
      self.body = conflict.isDeletedHere ? nil : conflict.local
    case .server:
      self.body = conflict.server.map { RecordMerge(conflict, server: $0).base }
    case .merge:
      guard let server = conflict.server, !conflict.isDeletedHere else {
        throw Self.nothingToMerge
      }
      let differing = RecordMerge(conflict, server: server).fields.map(\.name)
      for (field, side) in request.fields {
        guard differing.contains(field) else {
          throw .invalid(
            field: "fields.\(field.prefix(64))",
            "does not differ. These do: \(differing.joined(separator: ", ")).")
        }
        guard side == "local" || side == "server" else {
          throw .invalid(field: "fields.\(field)", "must be \"local\" or \"server\".")
        }
      }
      self.body =
        RecordMerge(
          conflict, server: server,
          serverWins: Set(request.fields.filter { $0.value == "server" }.keys),
          localWins: Set(request.fields.filter { $0.value == "local" }.keys)
        ).body
    case nil: throw Self.unknown
    }
  }

  /// Reads the choice of a request for many records that the server does not have any more.
  ///
  /// - Returns: Whether they are kept.
  /// - Throws: As ``init(_:of:)``.
  static func isKept(ofMany request: ResolveConflictRequest) throws(Failure) -> Bool {
    try Self.check(request)
    switch request.knownKeep {
    case .local: return true
    case .server: return false
    case .merge: throw Self.nothingToMerge
    case nil: throw Self.unknown
    }
  }

  private static func check(_ request: ResolveConflictRequest) throws(Failure) {
    guard request.knownKeep == .merge || request.fields.isEmpty else {
      throw .invalid(field: "fields", "go with keep \"merge\" only.")
    }
  }

  private static let nothingToMerge = Failure.invalid(
    field: "keep", "one side is deleted, so there is nothing to merge. Keep \"local\" or \"server\".")
  private static let unknown = Failure.invalid(
    field: "keep", "must be \"local\", \"server\" or \"merge\".")
}
