internal import CLinux
internal import Foundation
internal import Glibc

/// Gives back to the system what a burst of messages leaves in the heaps of malloc(3): gaps, three quarters of all memory after a
/// flood. It does so while the burst lasts; the store gives its caches back when a burst of its own is over. How much memory the
/// process has of its own says when to look, and when to give back.
struct HeapGaps {
  /// Growth that is worth a walk through the heaps, which takes some milliseconds.
  private static let growth = 8 << 20
  /// A change that shows that the hub is at work.
  private static let change = 256 << 10

  /// Bytes after the last walk, or fewer that were seen since.
  private var least: Int?
  /// Bytes at the last look.
  private var last: Int?

  /// Takes up how much memory the process has.
  ///
  /// - Returns: Whether to walk, and when to look again: soon while memory changes, and seldom on an idle hub.
  mutating func look(_ bytes: Int) -> (walks: Bool, again: Duration) {
    let (least, change) = (min(self.least ?? bytes, bytes), abs(bytes - (self.last ?? bytes)))
    (self.least, self.last) = (least, bytes)
    return (bytes - least >= Self.growth, change >= Self.change ? .milliseconds(500) : .seconds(3))
  }

  /// Takes up how much is left after a walk.
  mutating func walked(_ bytes: Int) { (self.least, self.last) = (bytes, bytes) }

  /// Bounds the number of heaps, before threads make more, and looks until the task is cancelled.
  static func start() -> Task<Void, Never> {
    // Each heap keeps gaps of its own: 133 MiB in the sixteen that two cores have by themselves, 54 in eight.
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

  /// Memory that is backed by no file. proc_pid_statm(5): size, resident, shared, in pages.
  private static func anonymousBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    let pages = text.split(separator: " ").prefix(3).compactMap { Int($0) }
    return pages.count == 3 ? (pages[1] - pages[2]) * Int(sysconf(Int32(_SC_PAGESIZE))) : nil
  }
}
