internal import ArgumentParser
internal import KithMessages
internal import SwiftProtobuf

struct StatusCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how kithd is: storage, streams, sources.", discussion: "Example: kith status"
  )

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(StatusRequest())
    try session.show(reply, StatusReport(reply).lines(session))
  }
}

/// `System/Status` as people read it.
struct StatusReport {
  private let status: StatusReply

  init(_ status: StatusReply) { self.status = status }

  func lines(_ session: Session) -> [String] {
    let uptime = session.now.seconds - self.status.startedAt.seconds
    var lines = ["kithd \(self.status.version), running for \(RelativeTime.span(uptime) ?? "less than a minute")"]
    lines.append("Storage   \(self.storage(session.console.style))")
    for fault in self.status.storage.faults { lines.append("          \(Printable.text(fault))") }
    lines.append("Commands  \(self.status.commandsInFlight) in flight")
    lines.append("Watched   by \(Count.of(Int(self.status.subscriptions), "subscription"))")
    let streams = self.status.heads.map { "\(Printable.text($0.stream)) \($0.seq)" }
    lines.append("Streams   \(streams.isEmpty ? "none" : streams.joined(separator: ", "))")
    lines += self.work()
    return lines + [""] + SourceStates(self.status.sync).lines(session)
  }

  /// Nothing where there is no worker and nothing waits for one.
  private func work() -> [String] {
    let work = self.status.work
    guard !work.workers.isEmpty || work.queued + work.leased > 0 || !work.unserved.isEmpty else { return [] }
    var lines = ["Jobs      \(work.queued) waiting, \(work.leased) with workers"]
    for worker in work.workers {
      let services = Set(worker.services.map { JobCard.short(String($0.prefix { $0 != "/" })) }).sorted()
      lines.append(
        "Worker    \(Printable.text(worker.name)): \(worker.state), \(Count.of(Int(worker.leases), "job")), "
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
