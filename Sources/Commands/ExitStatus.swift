internal import Bus
internal import KithMessages

/// The exit codes of `kith`; scripts rely on the numbers.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case hubNotRunning = 3
  case refused = 4

  /// The status for a failure.
  init(_ failure: Failure) {
    switch failure.code {
    case .unauthenticated, .permissionDenied: self = .refused
    case .unavailable where ["HUB_NOT_RUNNING", "HUB_SILENT"].contains(failure.reason): self = .hubNotRunning
    case .invalidArgument where [NameMatch.ambiguous, TableLayout.unknownColumn].contains(failure.reason):
      self = .usage
    default: self = .failed
    }
  }
}
