internal import KithMessages
internal import SwiftProtobuf

/// The state of a source and its pass, as lines for people.
struct SourceState {
  private let status: SyncStatus

  init(_ status: SyncStatus) { self.status = status }

  /// The source's name: statuses and events carry it as `contacts:NAME`.
  static func name(_ status: SyncStatus) -> String {
    status.source.hasPrefix("contacts:") ? String(status.source.dropFirst("contacts:".count)) : status.source
  }

  /// The state in one line.
  func sentence(_ style: Style, now: Google_Protobuf_Timestamp) -> String {
    let name = Printable.text(Self.name(self.status))
    switch self.status.state {
    case .completed:
      let finished = RelativeTime.words(self.status.finishedAt, now: now)
      return "\(name): \(style.good("completed")) \(finished), \(self.holdings): \(self.counts)"
    case .error:
      return "\(name): \(style.bad("failed"))\(self.failures), last success "
        + "\(RelativeTime.words(self.status.lastSuccessAt, now: now)), \(self.holdings) kept. "
        + Printable.text(self.status.error.message)
    case .syncing:
      return "\(name): syncing, \(Count.grouped(Int(self.status.done))) of \(Count.grouped(Int(self.status.total)))"
    case .idle, .unspecified, .UNRECOGNIZED:
      return "\(name): idle, \(self.holdings), last success \(RelativeTime.words(self.status.lastSuccessAt, now: now))"
    }
  }

  /// What a person can do about it.
  func advice(_ style: Style, now: Google_Protobuf_Timestamp) -> [String] {
    self.isMonica ? self.waiting(style, now: now) : self.faults(style)
  }

  private var isMonica: Bool { self.status.source == "monica" }

  private func waiting(_ style: Style, now: Google_Protobuf_Timestamp) -> [String] {
    var lines: [String] = []
    if self.status.pending > 0 {
      let next =
        self.status.hasNextAttemptAt
        ? " Next attempt \(RelativeTime.next(self.status.nextAttemptAt, now: now))." : ""
      lines.append("  \(Count.of(Int(self.status.pending), "change")) not on the server yet.\(next)")
    }
    if self.status.failed > 0 {
      lines.append(style.notice("  \(Count.of(Int(self.status.failed), "change")) refused by the server."))
      lines.append("  To see why: kith monica queue --state failed")
    }
    if self.status.conflicts > 0 {
      lines.append(style.notice("  \(Count.of(Int(self.status.conflicts), "record")) changed on both sides."))
      lines.append("  To resolve them: kith monica conflicts")
    }
    return lines
  }

  private func faults(_ style: Style) -> [String] {
    let name = Printable.text(Self.name(self.status))
    var lines: [String] = []
    if self.status.heldBack > 0 {
      let count = Count.of(Int(self.status.heldBack), "deletion")
      lines.append(style.notice("  \(count) held back, because \(self.holdWords)."))
      if self.status.holdReason != "LISTING_NOT_WHOLE" {
        lines.append("  To carry them out: kith contacts sync \(name) --allow-mass-delete")
      }
    }
    let isPartly = self.status.state == .completed && self.status.hasError
    if isPartly { lines.append(style.notice("  \(Printable.text(self.status.error.message))")) }
    if self.status.skipped > 0 {
      let count = Count.of(Int(self.status.skipped), "card or folder", plural: "cards or folders")
      lines.append(style.notice("  \(count) could not be read."))
    }
    if isPartly || self.status.skipped > 0 {
      lines.append("  To see which: kith contacts problems --source \(name)")
    }
    return lines
  }

  private var holdWords: String {
    switch self.status.holdReason {
    case "LISTING_NOT_WHOLE": "the source could not be read as a whole"
    case "BOOK_GONE": "their address book is gone from the account"
    case "LISTING_EMPTY": "the source, or an address book or folder of it, shows no card at all"
    case "ALL_WOULD_GO": "every contact would be deleted"
    default: "so many at once may be a mistake"
    }
  }

  private var failures: String {
    self.status.consecutiveFailures > 1 ? " \(self.status.consecutiveFailures) times in a row" : ""
  }

  /// The number of records of the source.
  private var holdings: String {
    let live = Int(self.status.live)
    return self.isMonica ? Count.of(live, "person", plural: "people") : Count.of(live, "contact")
  }

  private var counts: String {
    let changes: [(UInt32, String)] = [
      (self.status.pushed, "sent"), (self.status.added, "added"), (self.status.updated, "updated"),
      (self.status.deleted, "deleted"),
      (self.status.revived, "revived"), (self.status.unchanged, "unchanged"),
    ]
    let words = changes.filter { $0.0 > 0 }.map { "\(Count.grouped(Int($0.0))) \($0.1)" }
    return words.isEmpty ? "nothing to do" : words.joined(separator: ", ")
  }
}

/// The states of several sources.
struct SourceStates {
  private let statuses: [SyncStatus]

  init(_ statuses: [SyncStatus]) { self.statuses = statuses }

  func lines(_ session: Session) -> [String] {
    guard !self.statuses.isEmpty else {
      return ["No sources found. Add one: kith contacts source add home --vdir ~/contacts"]
    }
    return self.statuses.flatMap { status in
      let state = SourceState(status)
      return [state.sentence(session.console.style, now: session.now)]
        + state.advice(session.console.style, now: session.now)
    }
  }
}
