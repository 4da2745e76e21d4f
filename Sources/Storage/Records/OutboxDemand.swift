internal import KithMessages

/// What a record asks of the outbox, by what is stored of it: the rule of every edit, deletion and return.
struct OutboxDemand: Equatable {
  /// nil = nothing waits.
  let operation: OutboxOperation?
  /// The state of the record then.
  let state: RecordState

  /// Decides.
  ///
  /// - Parameters:
  ///   - isOnServer: Whether the server has it, under an id that is known.
  ///   - isSame: Whether the server has what it says.
  ///   - mayHaveArrived: Whether something of it is under way, or was and may have arrived.
  ///   - state: As it was. What is under way goes on, and a conflict stays until somebody settles it.
  init(isDeleted: Bool, isOnServer: Bool, isSame: Bool, mayHaveArrived: Bool, state: RecordState) {
    let needed: OutboxOperation? =
      if isDeleted {
        isOnServer || mayHaveArrived ? .delete : nil
      } else if !isOnServer {
        .create
      } else {
        isSame && !mayHaveArrived ? nil : .update
      }
    switch state {
    case .syncing, .conflict:
      self.operation = needed ?? .update
      self.state = state
    case .synced, .pending, .failed:
      self.operation = needed
      self.state = needed == nil ? .synced : .pending
    }
  }
}
