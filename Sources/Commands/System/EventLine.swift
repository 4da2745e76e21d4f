internal import KithMessages

/// One event as a line.
struct EventLine {
  let text: String
  /// Whether the next line of the same kind may take its place.
  let isProgress: Bool

  init(_ event: LoggedEvent, session: Session) {
    let style = session.console.style
    let head = "\(Printable.text(event.header.stream)) \(style.dim("#\(event.header.seq)"))"
    var isProgress = false
    let body: String
    switch event.event.payload {
    case .sync(let status) where status.state == .syncing:
      isProgress = true
      body = Self.progress(status, style)
    case .sync(let status):
      body = SourceState(status).sentence(style, now: session.now)
    case .changed(let changed):
      body = "\(Count.of(changed.ids.count, changed.kind.isEmpty ? "record" : Printable.text(changed.kind))) changed"
    case .job(let job):
      body = "job \(Printable.text(job.jobID)) \(Printable.text(job.state))"
    case .reminder(let reminder):
      body = "reminder \(Printable.text(reminder.reminderID)) \(Printable.text(reminder.state))"
    case .delivery(let delivery):
      body =
        "delivery \(Printable.text(delivery.deliveryID)) on \(Printable.text(delivery.channel)): \(Printable.text(delivery.state))"
    case .system(let notice):
      body = [notice.kind, notice.text].map(Printable.text).filter { !$0.isEmpty }.joined(separator: ": ")
    case nil:
      body = event.header.tombstone ? "\(Printable.text(event.header.key)) is gone" : "an event of a newer kithd"
    }
    self.text = "\(head)  \(body)"
    self.isProgress = isProgress
  }

  private static func progress(_ status: SyncStatus, _ style: Style) -> String {
    let name = Printable.text(SourceState.name(status))
    // The total is known once the source has been listed.
    guard status.total > 0 else { return "\(name): looking for changes" }
    return ProgressBar(label: name, style: style)
      .line(fraction: Double(status.done) / Double(status.total), note: "\(status.done) of \(status.total)")
  }
}
