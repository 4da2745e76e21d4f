internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// Prints the elements of a subscription: JSON for programs, lines for people, a progress bar on a terminal.
///
/// The snapshot at the beginning of a stream is state, not an event: it is printed for people only, and is not counted. After a
/// resync it replaces the missed events, and is printed for both.
struct EventPrinter: Sendable {
  private let session: Session
  /// Events printed.
  private(set) var count = 0
  /// Streams whose first snapshot has ended.
  private var begun: Set<String>
  private var isDrawing = false

  /// - Parameter resumed: Streams that continue from a saved position.
  init(session: Session, resumed: Set<String>) {
    self.session = session
    self.begun = resumed
  }

  mutating func print(_ element: StreamElement) async throws {
    switch element {
    case .event(let event):
      self.count += 1
      try await self.print(event)
    case .snapshot(let event):
      if !self.session.isJSON || self.begun.contains(event.header.stream) { try await self.print(event) }
    case .position(let position):
      self.begun.insert(position.stream)
    case .resync(let stream, let cause):
      self.finishDrawing()
      self.session.console.printError("kith: \(Printable.text(stream)): \(Self.words(cause, self.session.language))")
    }
  }

  /// Leaves the cursor at the beginning of a line.
  mutating func end() { self.finishDrawing() }

  private mutating func print(_ event: LoggedEvent) async throws {
    guard !self.session.isJSON else { return self.session.console.print(try Session.json(event)) }
    let line = EventLine(event, about: await EventSubject.words(event.event, self.session), session: self.session)
    if line.isProgress, self.session.console.isTerminal {
      self.session.console.redraw(line.text)
      self.isDrawing = true
    } else {
      if self.isDrawing { self.session.console.redraw("") }
      self.isDrawing = false
      self.session.console.print(line.text)
    }
  }

  private mutating func finishDrawing() {
    guard self.isDrawing else { return }
    self.session.console.print("")
    self.isDrawing = false
  }

  private static func words(_ cause: StreamElement.Cause, _ say: Language) -> String {
    switch cause {
    case .compacted:
      say("older events are no longer kept. The present state follows.", "古い通知はもうありません。今の状態を表示します。")
    case .newEpoch:
      say("the event log was created again. The present state follows.", "通知の記録が作り直されました。今の状態を表示します。")
    case .hubBehind:
      say("kithd runs on an older copy of its data. The state of that copy follows.", "kithd は古いデータで動いています。その状態を表示します。")
    case .tooSlow:
      say("too slow for every event. The present state follows, every ten seconds.", "すべては表示しきれません。10秒ごとに今の状態を表示します。")
    }
  }
}

/// One event as a line.
struct EventLine {
  let text: String
  /// Whether the next line of the same kind may replace it.
  let isProgress: Bool

  /// - Parameter subject: Who and what the event is about; empty if that is not known.
  init(_ event: LoggedEvent, about subject: String, session: Session) {
    let (style, say) = (session.console.style, session.language)
    let head = "\(Printable.text(event.header.stream)) \(style.dim("#\(event.header.seq)"))"
    var isProgress = false
    let body: String
    switch event.event.payload {
    case .sync(let status) where status.state == .syncing:
      isProgress = true
      body = Self.progress(status, session)
    case .sync(let status):
      body = SourceState(status).sentence(session)
    case .changed(let changed):
      let count = say(
        Count.of(changed.ids.count, Self.noun(changed.kind, say)),
        "\(Self.noun(changed.kind, say)) \(changed.ids.count)件")
      body = say("\(count) changed", "\(count)の変更") + (subject.isEmpty ? "" : ": \(subject)")
    case .job(let job):
      let name = subject.isEmpty ? session.ids[job.jobID] : subject
      body = "\(say("job", "ジョブ")) \(name): \(JobState(rawValue: job.state)?.words(say) ?? Printable.text(job.state))"
    case .reminder(let reminder):
      let name = subject.isEmpty ? session.ids[reminder.reminderID] : subject
      body = "\(say("reminder", "お知らせ")) \(name): \(Self.words(of: reminder.state, say))"
    case .delivery(let delivery):
      let name = subject.isEmpty ? session.ids[delivery.deliveryID] : subject
      let state = DeliveryState(rawValue: delivery.state)?.words(say) ?? Printable.text(delivery.state)
      let channel = Printable.text(delivery.channel)
      body = say("delivery \(name) on \(channel): \(state)", "送信 \(name) (\(channel)): \(state)")
    case .system(let notice):
      body = [Self.words(of: notice, say), Printable.text(notice.text)].filter { !$0.isEmpty }.joined(separator: ": ")
    case nil:
      body =
        event.header.tombstone
        ? say("\(Printable.text(event.header.key)) is gone", "\(Printable.text(event.header.key)) がなくなりました")
        : say("an event of a newer kithd", "新しい kithd の通知")
    }
    self.text = "\(head)  \(body)"
    self.isProgress = isProgress
  }

  /// The word for a kind in `Changed`.
  private static func noun(_ kind: String, _ say: Language) -> String {
    guard kind != CareRecord.idKind else { return say("care entry", "介護の記録") }
    if kind == PersonReminder.kind.name { return PersonReminder.idNoun(say) }
    if let known = EventSubject.kinds.first(where: { $0.idKind == kind }) { return known.idNoun(say) }
    return kind.isEmpty ? say("record", "記録") : Printable.text(kind).replacing("_", with: " ")
  }

  /// What happened to kithd; the word of a newer one as it is.
  private static func words(of notice: SystemNotice, _ say: Language) -> String {
    switch notice.kind {
    case "agent.started": say("kithd has started", "kithd が起動しました")
    case "agent.stopping": say("kithd ends", "kithd が終了します")
    case "storage.damaged": say("the database is damaged", "データベースが壊れています")
    case "backup.made", "backup.good": say("a backup was made", "バックアップを作りました")
    case "backup.failed": say("no backup could be made", "バックアップを作れませんでした")
    case "device.paired", "device.added": say("a device was added", "端末が登録されました")
    case "device.revoked": say("a device was revoked", "端末の登録が取り消されました")
    case "key.approved": say("a key was approved", "鍵が承認されました")
    case "key.revoked": say("a key was revoked", "鍵が取り消されました")
    case "key.server": say("kithd's own key was changed", "kithd の鍵が変わりました")
    default: Printable.text(notice.kind)
    }
  }

  private static func words(of state: String, _ say: Language) -> String {
    ReminderState(rawValue: state)?.words(say) ?? Printable.text(state)
  }

  private static func progress(_ status: SyncStatus, _ session: Session) -> String {
    let name = Printable.text(SourceState.name(status))
    let say = session.language
    // The total is known once the source has been listed.
    guard status.total > 0 else { return "\(name): \(say("looking for changes", "変更を探しています"))" }
    return ProgressBar(label: name, style: session.console.style)
      .line(
        fraction: Double(status.done) / Double(status.total),
        note: say("\(status.done) of \(status.total)", "\(status.total)件のうち\(status.done)件"))
  }
}

/// Who and what an event is about. Events have ids only; the names are asked for.
enum EventSubject {
  /// The most records of an event that are named.
  private static let most = 3

  /// What changes of records are about.
  static let kinds: [any Identified.Type] =
    RecordKind.allCases.compactMap { $0.type as? any Identified.Type }
    + [CareRecord.self, Contact.self, PlanItem.self, Dose.self, MeasurementRecord.self]

  /// A few words; empty where no name is known, or the output is JSON.
  static func words(_ event: Event, _ session: Session) async -> String {
    guard !session.isJSON else { return "" }
    switch event.payload {
    case .changed(let changed) where changed.ids.count <= Self.most:
      var words: [String] = []
      for id in changed.ids { words.append(await Self.words(about: id, changed.kind, session)) }
      return words.filter { !$0.isEmpty }.map(Printable.text).joined(separator: "; ")
    case .job(let job): return Printable.text(JobCard.short(job.capability))
    case .reminder(let reminder):
      guard let status = try? await session.ask(ReminderStatusRequest()) else { return "" }
      let found = (status.due + status.pending).first { $0.id == reminder.reminderID }
      return Printable.text(found?.inWords(session.language) ?? "")
    case .delivery(let delivery):
      guard let reply = try? await session.ask(ListDeliveriesRequest.with { $0.channel = delivery.channel })
      else { return "" }
      return Printable.text(reply.deliveries.first { $0.id == delivery.deliveryID }?.title ?? "")
    default: return ""
    }
  }

  private static func words(about id: String, _ kind: String, _ session: Session) async -> String {
    await Self.kinds.first { $0.idKind == kind }?.words(about: id, session) ?? ""
  }
}
