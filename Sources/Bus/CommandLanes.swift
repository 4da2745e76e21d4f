internal import EventLoop

/// Keeps the commands of each principal on each connection in order. Neither connections nor the devices behind a door wait for each
/// other.
package final class CommandLanes: Sendable {
  /// Names a lane.
  struct Name: Hashable, Sendable {
    let connection: [UInt8]
    let principal: String
    let isOfUploads: Bool
  }

  private struct State {
    var lanes: [Name: CommandLane] = [:]
    var waiting: [CommandLane.Serial: CheckedContinuation<Void, Never>] = [:]
    var lastSerial: CommandLane.Serial = 0
  }

  private let state = Lock(State())

  /// Makes an empty table.
  package init() {}

  /// Gives a command its place behind the earlier ones of its principal and connection; nil if it needs none.
  ///
  /// - Parameter connection: Identifies the connection.
  package func enter(_ connection: [UInt8], of principal: Principal, _ order: CommandOrder) -> CommandTurn? {
    guard order != .free else { return nil }
    let name = Name(connection: connection, principal: principal.name, isOfUploads: order == .amongUploads)
    let serial = self.state.withLock { state in
      state.lastSerial += 1
      state.lanes[name, default: CommandLane()].enter(state.lastSerial, order)
      return state.lastSerial
    }
    return CommandTurn(lanes: self, name: name, serial: serial)
  }

  /// Whether no command has a place.
  var isEmpty: Bool { self.state.withLock { $0.lanes.isEmpty } }

  func wait(_ turn: CommandTurn, _ continuation: CheckedContinuation<Void, Never>) {
    let mustWait = self.state.withLock { state in
      guard state.lanes[turn.name]?.isWaiting(turn.serial) == true else { return false }
      state.waiting[turn.serial] = continuation
      return true
    }
    if !mustWait { continuation.resume() }
  }

  func wrote(_ turn: CommandTurn) { self.advance(turn) { $0.wrote(turn.serial) } }

  func end(_ turn: CommandTurn) { self.advance(turn) { [turn.serial] + $0.end(turn.serial) } }

  private func advance(_ turn: CommandTurn, _ step: (inout CommandLane) -> [CommandLane.Serial]) {
    let started = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard var lane = state.lanes[turn.name] else { return [] }
      let started = step(&lane)
      state.lanes[turn.name] = lane.isEmpty ? nil : lane
      return started.compactMap { state.waiting.removeValue(forKey: $0) }
    }
    for continuation in started { continuation.resume() }
  }
}

/// A command's place in the order of its connection.
package struct CommandTurn: Sendable {
  let lanes: CommandLanes
  let name: CommandLanes.Name
  let serial: CommandLane.Serial

  /// Waits until the command may start.
  ///
  /// - Throws: `CANCELLED` if the task is cancelled; the place is then released.
  func begin() async throws(Failure) {
    await withTaskCancellationHandler {
      await withCheckedContinuation { self.lanes.wait(self, $0) }
    } onCancel: {
      self.end()
    }
    guard !Task.isCancelled else { throw .cancelled }
  }

  /// Records that the command's write is in the queue of the store.
  package func wrote() { self.lanes.wrote(self) }

  /// Releases the place: the command has ended, or others need not wait for its end. Later calls do nothing.
  package func end() { self.lanes.end(self) }
}
