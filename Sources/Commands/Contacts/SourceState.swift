internal import Bus
internal import KithMessages

/// The state of a source and its pass, as lines for people.
struct SourceState {
  private let status: SyncStatus

  init(_ status: SyncStatus) { self.status = status }

  /// The source's name: statuses and events carry it as `contacts:NAME`.
  static func name(_ status: SyncStatus) -> String { Self.name(status.source) }

  /// The name of `contacts:NAME`; other text unchanged.
  static func name(_ source: String) -> String { String(source.trimmingPrefix("contacts:")) }

  /// The state in one line.
  func sentence(_ session: Session) -> String {
    let (name, say, style) = (Printable.text(Self.name(self.status)), session.language, session.console.style)
    let last = session.relative(self.status.lastSuccessAt)
    switch self.status.state {
    case .completed:
      let state = style.good(say("completed", "完了"))
      let time = session.relative(self.status.finishedAt)
      return say(
        "\(name): \(state) \(time), \(self.holdings(say)): \(self.counts(say))",
        "\(name): \(state) (\(time))、\(self.holdings(say)): \(self.counts(say))")
    case .error:
      let why = Printable.text(Failure(status: self.status.error).read(in: say).message)
      return "\(name): \(style.bad(say("failed", "失敗")))\(self.failures(say)), "
        + say("last success \(last), \(self.holdings(say)) kept. ", "最後の成功: \(last)、\(self.holdings(say))は残っています。")
        + why
    case .syncing:
      let (done, total) = (Count.grouped(Int(self.status.done)), Count.grouped(Int(self.status.total)))
      return say("\(name): syncing, \(done) of \(total)", "\(name): 取り込み中、\(total)件のうち\(done)件")
    case .idle, .unspecified, .UNRECOGNIZED:
      return say(
        "\(name): idle, \(self.holdings(say)), last success \(last)",
        "\(name): 待機中、\(self.holdings(say))、最後の成功: \(last)")
    }
  }

  /// What a person can do about it.
  func advice(_ session: Session) -> [String] { self.isMonica ? self.waiting(session) : self.faults(session) }

  private var isMonica: Bool { self.status.source == "monica" }

  private func waiting(_ session: Session) -> [String] {
    let (say, style) = (session.language, session.console.style)
    var lines: [String] = []
    if self.status.pending > 0 {
      let time = session.next(self.status.nextAttemptAt)
      let next = self.status.hasNextAttemptAt ? say(" Next attempt \(time).", "次の送信: \(time)") : ""
      let count = Int(self.status.pending)
      lines.append(
        "  " + say("\(Count.of(count, "change")) not on the server yet.\(next)", "サーバーに未送信の変更: \(count)件。\(next)"))
    }
    if self.status.failed > 0 {
      let count = Int(self.status.failed)
      lines.append(
        style.notice("  " + say("\(Count.of(count, "change")) refused by the server.", "サーバーが拒否した変更: \(count)件。")))
      lines.append("  " + say("To see why:", "理由を見るには:") + " kith monica queue --state failed")
    }
    if self.status.conflicts > 0 {
      let count = Int(self.status.conflicts)
      lines.append(
        style.notice("  " + say("\(Count.of(count, "record")) changed on both sides.", "両方で変更された記録: \(count)件。")))
      lines.append("  " + say("To resolve them:", "選ぶには:") + " kith monica conflicts")
    }
    return lines
  }

  private func faults(_ session: Session) -> [String] {
    let (name, say, style) = (Printable.text(Self.name(self.status)), session.language, session.console.style)
    var lines: [String] = []
    if self.status.heldBack > 0 {
      let count = Int(self.status.heldBack)
      lines.append(
        style.notice(
          "  "
            + say(
              "\(Count.of(count, "deletion")) held back, because \(self.holdWords(say)).",
              "削除を\(count)件保留しています: \(self.holdWords(say))。")))
      if self.status.holdReason != "LISTING_NOT_WHOLE" {
        lines.append("  " + say("To carry them out:", "削除するには:") + " kith contacts sync \(name) --allow-mass-delete")
      }
    }
    let isPartly = self.status.state == .completed && self.status.hasError
    if isPartly {
      lines.append(style.notice("  \(Printable.text(Failure(status: self.status.error).read(in: say).message))"))
    }
    if self.status.skipped > 0 {
      let count = Int(self.status.skipped)
      let what = Count.of(count, "card or folder", plural: "cards or folders")
      lines.append(style.notice("  " + say("\(what) could not be read.", "読めなかったカードやフォルダー: \(count)件。")))
    }
    if isPartly || self.status.skipped > 0 {
      lines.append("  " + say("To see which:", "一覧:") + " kith contacts problems --source \(name)")
    }
    return lines
  }

  private func holdWords(_ say: Language) -> String {
    switch self.status.holdReason {
    case "LISTING_NOT_WHOLE": say("the source could not be read as a whole", "取り込み元の全体を読めませんでした")
    case "BOOK_GONE": say("their address book is gone from the account", "アドレス帳がアカウントからなくなっています")
    case "LISTING_EMPTY":
      say("the source, or an address book or folder of it, shows no card at all", "取り込み元かその一部が空になっています")
    case "ALL_WOULD_GO": say("every contact would be deleted", "すべての連絡先が削除されます")
    default: say("so many at once may be a mistake", "一度に多すぎます")
    }
  }

  private func failures(_ say: Language) -> String {
    let count = self.status.consecutiveFailures
    return count > 1 ? say(" \(count) times in a row", " (続けて\(count)回)") : ""
  }

  /// The number of records of the source.
  private func holdings(_ say: Language) -> String {
    let live = Int(self.status.live)
    return self.isMonica
      ? say(Count.of(live, "person", plural: "people"), "\(live)人") : say(Count.of(live, "contact"), "連絡先\(live)件")
  }

  private func counts(_ say: Language) -> String {
    let changes: [(count: UInt32, words: String)] = [
      (self.status.pushed, say("sent", "送信")), (self.status.added, say("added", "追加")),
      (self.status.updated, say("updated", "更新")), (self.status.deleted, say("deleted", "削除")),
      (self.status.revived, say("revived", "復活")), (self.status.unchanged, say("unchanged", "変更なし")),
    ].filter { $0.0 > 0 }
    guard !changes.isEmpty else { return say("nothing to do", "変更なし") }
    return changes.map { change in
      say("\(Count.grouped(Int(change.count))) \(change.words)", "\(change.words) \(change.count)")
    }.joined(separator: say(", ", "、"))
  }
}

/// The states of several sources.
struct SourceStates {
  private let statuses: [SyncStatus]

  init(_ statuses: [SyncStatus]) { self.statuses = statuses }

  func lines(_ session: Session) -> [String] {
    guard !self.statuses.isEmpty else {
      return [Self.nothing(session.language)]
    }
    return self.statuses.flatMap { status in
      let state = SourceState(status)
      return [state.sentence(session)] + state.advice(session)
    }
  }

  /// What to do without a source.
  static func nothing(_ say: Language) -> String {
    say("No sources found. Add one:", "取り込み元はありません。追加するには:") + " kith contacts source add home --vdir ~/contacts"
  }
}
