/// The order of the mutating commands of one connection.
///
/// A pure value; its methods return the commands that start.
struct CommandLane: Sendable {
  /// Identifies a command of the lane.
  typealias Serial = UInt64

  private enum Progress {
    case waiting
    case running
    /// Its write is in the queue of the store.
    case written
  }

  private struct Entry {
    let serial: Serial
    let order: CommandOrder
    var progress = Progress.waiting
  }

  /// The commands that have not ended, in order of arrival.
  private var entries: [Entry] = []

  var isEmpty: Bool { self.entries.isEmpty }

  /// Whether a command waits for earlier ones.
  func isWaiting(_ serial: Serial) -> Bool {
    self.entries.contains { $0.serial == serial && $0.progress == .waiting }
  }

  /// Adds a command at the end.
  mutating func enter(_ serial: Serial, _ order: CommandOrder) {
    self.entries.append(Entry(serial: serial, order: order))
    // No task waits for this command yet.
    _ = self.start()
  }

  /// Records that a command's write is in the queue of the store.
  ///
  /// - Returns: The commands that start now.
  mutating func wrote(_ serial: Serial) -> [Serial] {
    guard let index = self.entries.firstIndex(where: { $0.serial == serial }) else { return [] }
    self.entries[index].progress = .written
    return self.start()
  }

  /// Removes a command that has ended or will not run.
  ///
  /// - Returns: The commands that start now.
  mutating func end(_ serial: Serial) -> [Serial] {
    guard let index = self.entries.firstIndex(where: { $0.serial == serial }) else { return [] }
    self.entries.remove(at: index)
    return self.start()
  }

  private mutating func start() -> [Serial] {
    var started: [Serial] = []
    for index in self.entries.indices {
      if self.entries[index].progress == .waiting {
        guard index == 0 || self.entries[index].order == .afterWrites else { break }
        self.entries[index].progress = .running
        started.append(self.entries[index].serial)
      }
      guard self.entries[index].progress == .written else { break }
    }
    return started
  }
}
