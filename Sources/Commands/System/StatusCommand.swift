internal import ArgumentParser
internal import Bus
internal import Findings
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
    let backups = try await session.client.askIfServed(ListBackupsRequest())
    try await session.show(reply, StatusReport(reply, backups).lines(session))
  }
}

/// `System/Status` as lines.
struct StatusReport {
  private let status: StatusReply
  /// Nil of a kithd that is too old to say.
  private let backups: BackupState?

  init(_ status: StatusReply, _ backups: BackupState? = nil) {
    self.status = status
    self.backups = backups
  }

  func lines(_ session: Session) -> [String] {
    let say = session.language
    let span = Self.span(session.now.seconds - self.status.startedAt.seconds, say)
    var lines = [say("kithd \(self.status.version), running for \(span)", "kithd \(self.status.version)、起動から\(span)")]
    lines += self.storage(session)
    lines.append(
      Self.row(
        say("Commands", "処理中"), say("\(self.status.commandsInFlight) in flight", "\(self.status.commandsInFlight)件"),
        say))
    let watchers = Int(self.status.subscriptions)
    lines.append(Self.row(say("Watched", "通知先"), say("by \(Count.of(watchers, "subscription"))", "\(watchers)件"), say))
    let streams = self.status.heads.map { "\(Printable.text($0.stream)) \($0.seq)" }
    let events = streams.isEmpty ? say("none", "なし") : streams.joined(separator: ", ")
    lines += Self.rows(say("Streams", "イベント"), events, session)
    lines += self.peers(say) + self.doors(session) + self.work(session) + self.backup(session)
    lines += [""] + SourceStates(self.status.sync).lines(session)
    return self.needs(session) + lines
  }

  /// The columns of the labels.
  private static func indent(_ say: Language) -> Int { say == .japanese ? 13 : 10 }

  private static func row(_ label: String, _ text: String, _ say: Language) -> String {
    Printable.padded(label, to: Self.indent(say), alignment: .left) + text
  }

  /// A row, wrapped to the terminal.
  private static func rows(_ label: String, _ text: String, _ session: Session) -> [String] {
    let say = session.language
    guard let width = session.layout.width else { return [Self.row(label, text, say)] }
    return Printable.wrapped(text, to: width - Self.indent(say)).enumerated()
      .map { Self.row($0.offset == 0 ? label : "", $0.element, say) }
  }

  private static func span(_ seconds: Int64, _ say: Language) -> String {
    say.span(seconds) ?? say("less than a minute", "1分未満")
  }

  /// What needs a person; empty if nothing does.
  private func needs(_ session: Session) -> [String] {
    let say = session.language
    let needs = StatusExamination(self.status, self.backups ?? BackupState(), session).needs
    guard !needs.isEmpty else { return [] }
    let style = session.console.style
    let shown = needs.prefix(Self.mostNeeds).flatMap { need in
      ["  \(style.bad(Printable.text(need.found)))"]
        + (need.advice.isEmpty ? [] : ["    → \(Printable.text(need.advice))"])
    }
    let rest = needs.count - Self.mostNeeds
    let more = rest > 0 ? [say("  and \(rest) more: kith doctor", "  ほかに\(rest)件: kith doctor")] : []
    let title = say(
      "\(Count.of(needs.count, "thing")) \(needs.count == 1 ? "needs" : "need") you:", "対応が必要なものが\(needs.count)件あります:")
    return [style.bold(title)] + shown + more
      + [""]
  }

  /// When the last backup was made, or how to have them made. What is wrong with them is among what needs a person.
  private func backup(_ session: Session) -> [String] {
    guard let backups = self.backups else { return [] }
    let say = session.language
    let label = say("Backup", "バックアップ")
    guard !backups.folder.isEmpty else {
      return Self.rows(
        label,
        say(
          "none is made every day. To set it up: [backup] folder in kithd.toml",
          "毎日は作っていません。作るには kithd.toml の [backup] に folder を書いてください"), session)
    }
    let daily = StatusExamination(self.status, backups, session).dailyBackup
    return daily.map { $0.state == .bad ? [] : [Self.row(label, Printable.text($0.found), say)] } ?? []
  }

  /// With it the rest is on a screen of 24 lines.
  private static let mostNeeds = 3

  private func peers(_ say: Language) -> [String] {
    guard !self.status.planes.isEmpty else { return [] }
    let planes = self.status.planes.map {
      say("\($0.connections) on \(Printable.text($0.name))", "\(Printable.text($0.name)) \($0.connections)件")
    }
    var lines = [Self.row(say("Connected", "接続"), planes.joined(separator: say(", ", "、")), say)]
    let failed = self.status.planes.reduce(0) { $0 + Int(clamping: $1.failedHandshakes) }
    if failed > 0 {
      lines.append(
        Self.row(
          "",
          say(
            "\(Count.of(failed, "handshake")) failed since the start: see the log", "起動後に失敗した接続: \(failed)件。ログを見てください"),
          say)
      )
    }
    return lines
  }

  /// A line for each door, and one for what a person has to mend.
  private func doors(_ session: Session) -> [String] {
    self.status.doors.flatMap { door in
      let (style, say) = (session.console.style, session.language)
      let isAway = session.now.seconds - door.lastSeen.seconds > 90
      let state =
        isAway
        ? style.bad(
          say(
            "away since \(session.zone.text(door.lastSeen)): systemctl start kith-web",
            "\(session.zone.text(door.lastSeen)) から停止中: systemctl start kith-web"))
        : Self.certificate(of: door, session)
      return [Self.row(say("Web", "ウェブ"), "\(Printable.text(door.url)) (\(state))", say)]
        + (door.fault.isEmpty || isAway ? [] : [Self.row("", style.bad(Printable.text(door.fault)), say)])
    }
  }

  private static func certificate(of door: Door, _ session: Session) -> String {
    let say = session.language
    let words = [
      "certificate": say("certificate", "証明書"), "own-ca": say("own CA", "独自の認証局"),
      "proxy": say("behind a proxy", "プロキシ経由"), "none": say("not encrypted", "暗号化なし"),
    ]
    let kind = words[door.tls] ?? Printable.text(door.tls)
    guard door.hasCertificateExpires else { return kind }
    let left = door.certificateExpires.seconds - session.now.seconds
    let style = session.console.style
    guard left > 0 else {
      return style.bad(
        say(
          "\(kind), its certificate expired \(session.ago(door.certificateExpires)): renew it",
          "\(kind)、証明書は\(session.ago(door.certificateExpires))に切れました。更新してください"))
    }
    let span = Self.span(left, say)
    let valid = say("certificate valid for \(span)", "証明書はあと\(span)有効")
    return (door.tls == "certificate" ? "" : "\(kind), ") + (left < 14 * 86_400 ? style.notice(valid) : valid)
  }

  /// Empty if no worker is connected and no job waits.
  private func work(_ session: Session) -> [String] {
    let work = self.status.work
    guard !work.workers.isEmpty || work.queued + work.leased > 0 || !work.unserved.isEmpty else { return [] }
    let say = session.language
    var lines = [
      Self.row(
        say("Jobs", "ジョブ"),
        say("\(work.queued) waiting, \(work.leased) with workers", "待機 \(work.queued)件、実行中 \(work.leased)件"), say)
    ]
    for worker in work.workers {
      let services = Set(worker.services.map { JobCard.short(String($0.prefix { $0 != "/" })) }).sorted()
      let silence = session.now.seconds - worker.heardAt.seconds
      let state =
        worker.knownState == .silent ? say("silent for \(silence) s", "\(silence)秒応答なし") : worker.stateInWords(say)
      lines.append(
        Self.row(
          say("Worker", "ワーカー"),
          "\(Printable.text(worker.name)): \(state), \(say(Count.of(Int(worker.leases), "job"), "\(worker.leases)件")), "
            + services.joined(separator: ", "), say))
    }
    for service in work.unserved {
      lines.append(
        say(
          "No worker serves \(JobCard.short(service)): its jobs wait",
          "\(JobCard.short(service)) のワーカーがいないので、待っています"))
    }
    return lines
  }

  private func storage(_ session: Session) -> [String] {
    let (say, style, storage) = (session.language, session.console.style, self.status.storage)
    let integrity =
      switch storage.integrity {
      case .sound: style.good(say("sound", "正常"))
      case .checking: style.notice(say("being checked", "検査中"))
      case .damaged: style.bad(say("damaged", "破損"))
      case .unspecified, .UNRECOGNIZED: say("unknown", "不明")
      }
    let contacts = say(Count.of(Int(storage.contacts), "contact"), "連絡先\(storage.contacts)件")
    let held = [integrity, contacts, Count.bytes(storage.bytes)].joined(separator: say(", ", "、"))
    let path = Printable.text(storage.path)
    // Of the whole line, the colour of the first word takes no columns.
    let isShort = Self.indent(say) + Printable.width("\(held) in \(path)") < session.layout.width ?? .max
    let lines = isShort ? [say("\(held) in \(path)", "\(held) (\(path))")] : [held, path]
    return lines.enumerated().map { Self.row($0.offset == 0 ? say("Storage", "保存場所") : "", $0.element, say) }
      + storage.faults.map { Self.row("", Printable.text($0), say) }
  }
}
