internal import CLinux

/// The code that only the start of a daemon runs: half of the memory of one that has little to do.
///
/// ```swift
/// let rest = StartupCode.giveBackSoon()
/// defer { rest.cancel() }
/// ```
package enum StartupCode {
  /// Gives all code back in two seconds, when a start is over. What runs then comes back at once from the system's cache of files; the
  /// rest stays away, and on a small machine others need its place.
  package static func giveBackSoon() -> Task<Void, any Error> {
    Task {
      try await Task.sleep(for: .seconds(2))
      kith_give_back_code()
    }
  }
}
