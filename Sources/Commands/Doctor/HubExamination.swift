internal import Bus
internal import Findings
internal import KithMessages
internal import SwiftProtobuf

/// What kithd says of itself and of everything that it serves.
struct HubExamination {
  let session: Session
  /// Whether a test message goes over each channel.
  let sends: Bool

  private var say: Language { self.session.language }

  /// Everything that was found, in the order of the report.
  ///
  /// - Throws: The failure of a command that this caller may send.
  func findings() async throws(Failure) -> [Finding] {
    let status = try await self.session.ask(StatusRequest())
    let checkup = try await self.session.askIfPermitted(CheckupRequest())
    var findings = [self.running(status)] + self.versions(status)
    if let checkup { findings += self.machine(checkup, status) }
    let backups = try await self.session.askIfPermitted(ListBackupsRequest()) ?? BackupState()
    let seen = StatusExamination(status, backups, self.session)
    findings.append(seen.database)
    if let checkup { findings.append(self.clock(checkup, status)) }
    if let server = try await self.session.askIfPermitted(ServerKeyRequest()) { findings.append(self.network(server)) }
    if let keys = try await self.session.askIfPermitted(KeysListRequest()) { findings += self.keys(keys) }
    findings += seen.sources + seen.workers
    if let checkup, !checkup.transcribesElsewhere {
      findings += self.speech(checkup, try await self.session.ask(CareSettingsRequest()))
    }
    findings += try await self.channels()
    findings += seen.doors
    if let daily = seen.dailyBackup {
      findings.append(daily)
    } else if let checkup {
      findings.append(self.backup(checkup))
    }
    guard checkup == nil else { return findings }
    let note = self.say(
      "You may not see everything: your role is not admin.", "管理者ではないので、一部は確認できません。")
    return findings + [Finding(.kithd, .look, note, advice: self.say("Ask an admin to run it.", "管理者に実行を頼んでください。"))]
  }

  private func running(_ status: StatusReply) -> Finding {
    let uptime = Language.english.span(status.hubTime.seconds - status.startedAt.seconds) ?? "less than a minute"
    let since = self.session.zone.text(status.startedAt)
    return Finding(.kithd, .good, self.say("runs for \(uptime)", "\(since) から動いています"))
  }

  private func versions(_ status: StatusReply) -> [Finding] {
    let own = SoftwareVersion.current
    let doors = status.doors.map(\.version).filter { !$0.isEmpty && !$0.hasSuffix(status.version) }
    guard status.version == own, doors.isEmpty else {
      let all = (["kith \(own)", "kithd \(status.version)"] + doors.map { "kith-web \($0)" }).joined(separator: ", ")
      return [
        Finding(
          .versions, .look, all,
          advice: self.say(
            "Restart what is older: systemctl --user restart kithd", "古いほうを再起動してください: systemctl --user restart kithd"))
      ]
    }
    return [Finding(.versions, .good, self.say("kith and kithd \(own)", "kith と kithd \(own)"))]
  }

  private func machine(_ checkup: CheckupReply, _ status: StatusReply) -> [Finding] {
    let path = checkup.configPath
    let file = path.isEmpty ? self.say("none: every setting is the default", "ファイルなし (すべて初期設定)") : path
    return [Finding(.configuration, .good, file)] + checkup.folders.map { FindingRules.folder(self.say, $0) }
  }

  private func clock(_ checkup: CheckupReply, _ status: StatusReply) -> Finding {
    let apart = abs(status.hubTime.seconds - self.session.now.seconds)
    let isBack = status.startedAt.seconds - status.hubTime.seconds > 60
    guard apart > 120 || isBack else {
      return FindingRules.clock(self.say, isSynchronized: checkup.clockSynchronized, now: status.hubTime)
    }
    let found =
      isBack
      ? self.say("The clock was set back since kithd started.", "kithd の起動後に時計が戻されました。")
      : self.say(
        "kithd's clock says \(self.session.zone.text(status.hubTime)), this one "
          + "\(self.session.zone.text(self.session.now)).",
        "kithd の時計は \(self.session.zone.text(status.hubTime))、こちらは \(self.session.zone.text(self.session.now)) です。")
    return Finding(.clock, .bad, found, advice: "timedatectl set-ntp true")
  }

  private func network(_ server: ServerKey) -> Finding {
    if !server.fault.isEmpty {
      return Finding(
        .network, .bad, server.fault,
        advice: self.say("Correct tcp.address in kithd.toml.", "kithd.toml の tcp.address を直してください。"))
    }
    let open = server.endpoints.first.map { String($0) }
    return Finding(
      .network, .good, open ?? self.say("serves this machine only", "このマシンからだけ使えます"))
  }

  private func keys(_ list: KeysListReply) -> [Finding] {
    let expired = list.keys.filter { $0.state == "expired" }.map(\.name)
    var findings: [Finding] = []
    if !list.pending.isEmpty {
      findings.append(
        Finding(
          .keys, .look,
          self.say(
            "\(Count.of(list.pending.count, "unknown key")) asked to be let in.", "承認待ちの鍵が\(list.pending.count)件あります。"),
          advice: "kith keys pending"))
    }
    if !expired.isEmpty {
      let names = expired.joined(separator: ", ")
      findings.append(
        Finding(.keys, .look, self.say("expired: \(names)", "期限切れ: \(names)"), advice: "kith keys list"))
    }
    return findings
  }

  private func speech(_ checkup: CheckupReply, _ settings: CareSettings) -> [Finding] {
    let language = settings.language.isEmpty ? self.say.rawValue : settings.language
    let engine = checkup.engines.first { $0.languages.contains { $0.prefix(2) == language.prefix(2) } }
    var findings: [Finding] = []
    switch engine {
    case nil:
      findings.append(
        Finding(
          .transcription, .look,
          self.say("Nothing transcribes \(language): entries are typed.", "\(language) の音声は文字になりません。メモは書けます。"),
          advice: self.say(
            "Name an engine in [transcription] of kithd.toml.", "kithd.toml の [transcription] に設定してください。")))
    case .some(let engine) where !engine.problem.isEmpty:
      findings.append(Finding(.transcription, .bad, "\(engine.name): \(engine.problem)"))
    case .some(let engine):
      findings.append(Finding(.transcription, .good, "\(engine.name) (\(language))"))
    }
    return findings + [FindingRules.converter(self.say, missing: checkup.missingConverter)]
  }

  private func channels() async throws(Failure) -> [Finding] {
    let channels = try await self.session.ask(ListChannelsRequest()).channels
    guard !channels.isEmpty else {
      return [Finding(.channels, .good, self.say("none: reminders are shown by kith only", "なし (お知らせは kith だけに出ます)"))]
    }
    var findings: [Finding] = []
    for channel in channels {
      var last = channel.last
      if self.sends {
        var request = TestChannelRequest()
        request.name = channel.name
        request.language = self.say.rawValue
        last = try await self.session.ask(request).delivery
      }
      findings.append(self.channel(channel.name, last))
    }
    return findings
  }

  private func channel(_ name: String, _ last: DeliveryEntry) -> Finding {
    switch last.knownState {
    case .failed, .unknown:
      Finding(
        .channels, .bad, "\(name): " + Failure(status: last.error).read(in: self.say).message,
        advice: "kith channels test \(name)")
    case .delivered:
      Finding(.channels, .good, "\(name), " + self.session.relative(last.deliveredAt))
    case .pending where last.hasError:
      Finding(
        .channels, .look, "\(name): " + Failure(status: last.error).read(in: self.say).message,
        advice: "kith channels deliveries")
    default:
      Finding(.channels, .good, self.say("\(name), nothing sent yet", "\(name)、まだ送っていません"))
    }
  }

  /// The last backup that a person made.
  private func backup(_ checkup: CheckupReply) -> Finding {
    let command = self.say(
      "kith backup FILE, or every day: [backup] folder in kithd.toml",
      "kith backup FILE。毎日作るには kithd.toml の [backup] に folder を書いてください。")
    guard checkup.hasBackedUpAt else {
      return Finding(.backup, .bad, self.say("There is no backup.", "バックアップがありません。"), advice: command)
    }
    let days = (self.session.now.seconds - checkup.backedUpAt.seconds) / 86_400
    let when = self.session.relative(checkup.backedUpAt)
    let found = self.say("written to a file \(when); none is made every day", "最後にファイルに書き出したのは\(when)です。毎日は作っていません")
    return days < 7
      ? Finding(.backup, .good, found) : Finding(.backup, days < 30 ? .look : .bad, found, advice: command)
  }
}
