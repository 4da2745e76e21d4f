internal import ArgumentParser
internal import KithMessages
internal import SwiftProtobuf

struct StatusCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of kithd: storage, streams, sources.",
    discussion: "Example: kith status"
  )

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(StatusRequest())
    // An older kithd makes no backups.
    let backups = try? await session.ask(ListBackupsRequest())
    try await session.show(reply, StatusReport(reply, backups ?? BackupState()).lines(session))
  }
}

/// `System/Status` as lines.
struct StatusReport {
  private let status: StatusReply
  private let backups: BackupState

  init(_ status: StatusReply, _ backups: BackupState = BackupState()) {
    self.status = status
    self.backups = backups
  }

  func lines(_ session: Session) -> [String] {
    let uptime = session.now.seconds - self.status.startedAt.seconds
    var lines = ["kithd \(self.status.version), running for \(RelativeTime.span(uptime) ?? "less than a minute")"]
    lines.append("Storage   \(self.storage(session.console.style))")
    for fault in self.status.storage.faults { lines.append("          \(Printable.text(fault))") }
    lines.append("Commands  \(self.status.commandsInFlight) in flight")
    lines.append("Watched   by \(Count.of(Int(self.status.subscriptions), "subscription"))")
    let streams = self.status.heads.map { "\(Printable.text($0.stream)) \($0.seq)" }
    lines.append("Streams   \(streams.isEmpty ? "none" : streams.joined(separator: ", "))")
    lines += self.peers() + self.doors(session) + self.work(session)
    lines += [""] + SourceStates(self.status.sync).lines(session)
    return self.needs(session) + lines
  }

  /// What needs a person; empty if nothing does.
  private func needs(_ session: Session) -> [String] {
    var session = session
    session.language = .english
    let needs = StatusExamination(session: session, status: self.status, backups: self.backups).needs
    guard !needs.isEmpty else { return [] }
    let style = session.console.style
    let shown = needs.prefix(Self.mostNeeds).flatMap { need in
      ["  \(style.bad(need.found))"] + (need.advice.isEmpty ? [] : ["    → \(need.advice)"])
    }
    let rest = needs.count - Self.mostNeeds
    let more = rest > 0 ? ["  and \(rest) more: kith doctor"] : []
    return [style.bold("\(Count.of(needs.count, "thing")) \(needs.count == 1 ? "needs" : "need") you:")] + shown + more
      + [""]
  }

  /// With it the rest is on a screen of 24 lines.
  private static let mostNeeds = 3

  private func peers() -> [String] {
    guard !self.status.planes.isEmpty else { return [] }
    let planes = self.status.planes.map { "\($0.connections) on \(Printable.text($0.name))" }
    var lines = ["Connected \(planes.joined(separator: ", "))"]
    let failed = self.status.planes.reduce(0) { $0 + Int(clamping: $1.failedHandshakes) }
    if failed > 0 { lines.append("          \(Count.of(failed, "handshake")) failed since the start: see the log") }
    return lines
  }

  /// A line for each door, and one for what a person has to mend.
  private func doors(_ session: Session) -> [String] {
    self.status.doors.flatMap { door in
      let style = session.console.style
      let isAway = session.now.seconds - door.lastSeen.seconds > 90
      let state =
        isAway
        ? style.bad("away since \(session.zone.text(door.lastSeen)): systemctl start kith-web")
        : Self.certificate(of: door, session)
      return ["Web       \(Printable.text(door.url)) (\(state))"]
        + (door.fault.isEmpty || isAway ? [] : ["          \(style.bad(Printable.text(door.fault)))"])
    }
  }

  private static func certificate(of door: Door, _ session: Session) -> String {
    let words = ["certificate": "certificate", "own-ca": "own CA", "proxy": "behind a proxy", "none": "not encrypted"]
    let kind = words[door.tls] ?? Printable.text(door.tls)
    guard door.hasCertificateExpires else { return kind }
    let left = door.certificateExpires.seconds - session.now.seconds
    let style = session.console.style
    guard left > 0 else {
      return style.bad("\(kind), its certificate expired \(session.ago(door.certificateExpires)): renew it")
    }
    let valid = "certificate valid for \(RelativeTime.span(left) ?? "less than a minute")"
    return (kind == "certificate" ? "" : "\(kind), ") + (left < 14 * 86_400 ? style.notice(valid) : valid)
  }

  /// Empty if no worker is connected and no job waits.
  private func work(_ session: Session) -> [String] {
    let work = self.status.work
    guard !work.workers.isEmpty || work.queued + work.leased > 0 || !work.unserved.isEmpty else { return [] }
    var lines = ["Jobs      \(work.queued) waiting, \(work.leased) with workers"]
    for worker in work.workers {
      let services = Set(worker.services.map { JobCard.short(String($0.prefix { $0 != "/" })) }).sorted()
      let silence = session.now.seconds - worker.heardAt.seconds
      let state = worker.knownState == .silent ? "silent for \(silence) s" : worker.state
      lines.append(
        "Worker    \(Printable.text(worker.name)): \(state), \(Count.of(Int(worker.leases), "job")), "
          + services.joined(separator: ", "))
    }
    for service in work.unserved { lines.append("No worker serves \(JobCard.short(service)): its jobs wait") }
    return lines
  }

  private func storage(_ style: Style) -> String {
    let storage = self.status.storage
    let integrity =
      switch storage.integrity {
      case .sound: style.good("sound")
      case .checking: style.notice("being checked")
      case .damaged: style.bad("damaged")
      case .unspecified, .UNRECOGNIZED: "unknown"
      }
    let contacts = Count.of(Int(storage.contacts), "contact")
    return "\(integrity), \(contacts), \(Count.bytes(storage.bytes)) in \(Printable.text(storage.path))"
  }
}
