internal import KithMessages

/// The account on a Monica server as people read it.
struct MonicaReport {
  private let status: MonicaStatus

  init(_ status: MonicaStatus) { self.status = status }

  func lines(_ session: Session) -> [String] {
    guard !self.status.endpoint.isEmpty else {
      return ["No account. Log in: kith monica login --cloud, or --endpoint URL"]
    }
    let rows: [Details.Row] = [
      ("Account", self.account), ("Token", self.status.token),
      ("Last read", RelativeTime.words(self.status.lastPullAt, now: session.now)),
      ("Others", self.status.instances.dropFirst().joined(separator: ", ")),
    ]
    return Details(title: self.status.endpoint, rows: rows).lines(session.console.style) + self.sync(session)
  }

  /// Where the last pass stands, with the counts of this moment.
  func sync(_ session: Session) -> [String] {
    var sync = self.status.sync
    sync.source = "monica"
    sync.live = self.status.people
    sync.pending = self.status.pending
    sync.failed = self.status.failed
    sync.conflicts = self.status.conflicts
    if self.status.hasNextAttemptAt { sync.nextAttemptAt = self.status.nextAttemptAt }
    return SourceStates([sync]).lines(session)
  }

  private var account: String {
    let endpoint = self.status.endpoint
    switch self.status.state {
    case "logged_in":
      let email = self.status.userEmail.isEmpty ? "" : " (\(self.status.userEmail))"
      return "logged in as \(self.status.userName)\(email)"
    case "expired": return "Your session expired. Please log in again: kith monica login --endpoint \(endpoint)"
    case "logged_out": return "logged out. To log in again: kith monica login --endpoint \(endpoint)"
    default: return self.status.state
    }
  }
}
