internal import CLinux
internal import Foundation
internal import Glibc

/// Returns to the system the gaps that a burst of messages leaves in the heaps of malloc(3): three quarters of all
/// memory after a flood. It works during the burst; the store releases its caches after one. The process's anonymous
/// memory determines when to check and when to trim.
struct HeapGaps {
  /// Growth that justifies a trim, which takes some milliseconds.
  private static let growth = 6 << 20
  /// A change that shows that the hub is busy.
  private static let change = 256 << 10

  /// The least bytes seen since the last trim.
  private var least: Int?
  /// The bytes at the last check.
  private var last: Int?

  /// Takes the current anonymous memory.
  ///
  /// - Returns: Whether to trim, and when to check again: soon while memory changes, rarely on an idle hub.
  mutating func look(_ bytes: Int) -> (walks: Bool, again: Duration) {
    let (least, change) = (min(self.least ?? bytes, bytes), abs(bytes - (self.last ?? bytes)))
    (self.least, self.last) = (least, bytes)
    return (bytes - least >= Self.growth, change >= Self.change ? .milliseconds(250) : .seconds(3))
  }

  /// Takes the anonymous memory after a trim.
  mutating func walked(_ bytes: Int) { (self.least, self.last) = (bytes, bytes) }

  /// Limits the number of heaps, before threads create more, and checks until the task is cancelled.
  static func start() -> Task<Void, Never> {
    // Each heap has gaps of its own: 133 MiB in the sixteen heaps that two cores get by default, 54 in eight.
    mallopt(M_ARENA_MAX, 8)
    return Task(priority: .utility) { await Self.run() }
  }

  private static func run() async {
    var gaps = HeapGaps()
    while let bytes = Self.anonymousBytes() {
      let (walks, again) = gaps.look(bytes)
      if walks {
        malloc_trim(0)
        gaps.walked(Self.anonymousBytes() ?? bytes)
      }
      guard (try? await Task.sleep(for: again)) != nil else { return }
    }
  }

  /// The process's memory that no file backs. proc_pid_statm(5): size, resident, shared, in pages.
  private static func anonymousBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    let pages = text.split(separator: " ").prefix(3).compactMap { Int($0) }
    return pages.count == 3 ? (pages[1] - pages[2]) * Int(sysconf(Int32(_SC_PAGESIZE))) : nil
  }
}
