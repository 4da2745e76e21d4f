internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// What the hub's status says, in `kith doctor` and at the top of `kith status`.
struct StatusExamination {
  let session: Session
  let status: StatusReply
  let backups: BackupState

  private var say: Language { self.session.language }

  /// What needs a person.
  var needs: [Finding] {
    let all = [self.database] + self.sources + self.workers + self.doors + [self.dailyBackup].compactMap(\.self)
    return all.filter { $0.state == .bad }
  }

  /// The backups that are made every day; nil if no folder is configured.
  var dailyBackup: Finding? {
    guard !self.backups.folder.isEmpty else { return nil }
    guard self.backups.fault.isEmpty else {
      return Finding(.backup, .bad, self.backups.fault, advice: "kith backup now")
    }
    guard self.backups.hasLastGood else {
      return Finding(.backup, .look, self.say("none was made yet", "まだ作っていません"), advice: "kith backup now")
    }
    // One day, and the time to make one.
    let isOld = self.session.now.seconds - self.backups.lastGood.seconds > 2 * 86_400
    let made = self.session.relative(self.backups.lastGood)
    return Finding(.backup, isOld ? .bad : .good, made, advice: isOld ? "kith backup now" : "")
  }

  /// The state of the database.
  var database: Finding {
    let storage = self.status.storage
    return switch storage.integrity {
    case .sound:
      Finding(.database, .good, self.say("sound, \(Count.bytes(storage.bytes))", "正常、\(Count.bytes(storage.bytes))"))
    case .damaged:
      Finding(
        .database, .bad,
        self.say("damaged: ", "壊れています: ") + storage.faults.prefix(3).joined(separator: "; "),
        advice: self.say(
          "Stop kithd, copy \(storage.path) elsewhere, and restore the last backup.",
          "kithd を止め、\(storage.path) を別の場所に写してから、最後のバックアップを戻してください。"))
    case .checking, .unspecified, .UNRECOGNIZED:
      Finding(
        .database, .look, self.say("being checked after a crash", "異常終了のあとの検査中です"),
        advice: self.say("Look again in a minute.", "1分後にもう一度確認してください。"))
    }
  }

  /// Address books, then the Monica account if there is one.
  var sources: [Finding] {
    let books = self.status.sync.filter { $0.source != "monica" }.flatMap(self.source)
    let accounts = self.status.sync.filter { $0.source == "monica" }.flatMap(self.account)
    return (books.isEmpty ? [self.none] : books) + accounts
  }

  /// Services without a worker, and workers that do not answer.
  var workers: [Finding] {
    let work = self.status.work
    let unserved = work.unserved.map { service in
      Finding(
        .workers, .bad,
        self.say(
          "No worker serves \(JobCard.short(service)): its jobs wait.", "\(JobCard.short(service)) のワーカーがいないので、待っています。"),
        advice: self.say("Start its kithd worker.", "kithd worker を起動してください。"))
    }
    let silent = work.workers.filter { $0.knownState == .silent }.map { worker in
      Finding(.workers, .look, self.say("\(worker.name) is silent.", "\(worker.name) から応答がありません。"))
    }
    return unserved + silent
  }

  /// What serves browsers.
  var doors: [Finding] { self.status.doors.map(self.door) }

  private func door(_ door: Door) -> Finding {
    let now = self.session.now.seconds
    if now - door.lastSeen.seconds > 90 {
      let since = self.session.zone.text(door.lastSeen)
      return Finding(
        .web, .bad, self.say("\(door.url) is away since \(since).", "\(door.url) は \(since) から止まっています。"),
        advice: "systemctl start kith-web")
    }
    if !door.fault.isEmpty { return Finding(.web, .bad, door.fault, advice: "journalctl -u kith-web -n 20") }
    guard door.hasCertificateExpires else { return Finding(.web, .good, door.url) }
    let left = door.certificateExpires.seconds - now
    let end = self.session.zone.text(door.certificateExpires)
    let renew = self.say("Renew it: docs/tls.md", "更新してください: docs/tls.md")
    guard left > 0 else {
      return Finding(
        .web, .bad, self.say("\(door.url): its certificate ended \(end).", "\(door.url) の証明書は \(end) に切れました。"),
        advice: renew)
    }
    let found = self.say("\(door.url), certificate until \(end)", "\(door.url)、証明書は \(end) まで")
    return left < 14 * 86_400 ? Finding(.web, .look, found, advice: renew) : Finding(.web, .good, found)
  }

  private var none: Finding {
    Finding(
      .sources, .look, self.say("There is no address book.", "連絡先の取り込み元がありません。"),
      advice: "kith contacts source add home --vdir ~/contacts")
  }

  private func source(_ status: SyncStatus) -> [Finding] {
    let name = SourceState.name(status)
    if status.state == .error {
      return [self.failed(.sources, name, status, advice: "kith contacts source test \(name)")]
    }
    if status.heldBack > 0 {
      return [
        Finding(
          .sources, .bad,
          self.say(
            "\(name): \(Count.of(Int(status.heldBack), "deletion")) held back.",
            "\(name): 削除を\(status.heldBack)件保留しています。"),
          advice: "kith contacts list --held-back")
      ]
    }
    if status.skipped > 0 || status.hasError {
      return [
        Finding(
          .sources, .look,
          self.say("\(name): not everything could be read.", "\(name): 読めないものがあります。"),
          advice: "kith contacts problems --source \(name)")
      ]
    }
    let count = Count.of(Int(status.live), "contact")
    let when = self.session.relative(status.lastSuccessAt)
    return [Finding(.sources, .good, self.say("\(name), \(count), \(when)", "\(name)、\(status.live)件、\(when)"))]
  }

  private func account(_ status: SyncStatus) -> [Finding] {
    if status.state == .error { return [self.failed(.monica, "Monica", status, advice: "kith monica status")] }
    var findings: [Finding] = []
    if status.failed > 0 {
      findings.append(
        Finding(
          .monica, .bad,
          self.say(
            "\(Count.of(Int(status.failed), "change")) refused by the server.", "サーバーが受け付けない変更: \(status.failed)件"),
          advice: "kith monica queue --state failed"))
    }
    if status.conflicts > 0 {
      findings.append(
        Finding(
          .monica, .bad,
          self.say(
            "\(Count.of(Int(status.conflicts), "record")) changed on both sides.", "両方で変わった記録: \(status.conflicts)件"),
          advice: "kith monica conflicts"))
    }
    guard findings.isEmpty else { return findings }
    return [Finding(.monica, .good, self.session.relative(status.lastSuccessAt))]
  }

  /// A server that is away for a short time comes back by itself.
  private func failed(_ subject: Finding.Subject, _ name: String, _ status: SyncStatus, advice: String) -> Finding {
    let failure = Failure(status: status.error)
    let passes = failure.code == .unavailable && status.consecutiveFailures < 3
    return Finding(
      subject, passes ? .look : .bad, "\(name): \(failure.read(in: self.say).message)", advice: advice)
  }
}
