public import Bus
public import KithMessages
public import SwiftProtobuf

/// Who reads findings: the language, the clock and the way to write times of that person.
public protocol FindingReader: Sendable {
  /// When it is read.
  var now: Google_Protobuf_Timestamp { get }
  /// The text in the reader's language.
  func callAsFunction(_ english: String, _ japanese: String) -> String
  /// A day with its time.
  func time(_ stamp: Google_Protobuf_Timestamp) -> String
  /// How long ago something was; `never` for a time that was not given.
  func relative(_ stamp: Google_Protobuf_Timestamp) -> String
  /// What went wrong, in the reader's language.
  func sentence(_ failure: Failure) -> String
}

/// What the hub's status says: the same for the command line, the family's pages, Home Assistant and the health of the door.
///
/// ```swift
/// let needs = StatusExamination(try await hub.ask(StatusRequest()), backups, reader).needs
/// ```
public struct StatusExamination: Sendable {
  private let status: StatusReply
  private let backups: BackupState
  private let say: any FindingReader

  /// Takes the answers of `System/Status` and `Backups/List`.
  public init(_ status: StatusReply, _ backups: BackupState, _ reader: any FindingReader) {
    self.status = status
    self.backups = backups
    self.say = reader
  }

  /// Everything, in the order of a report.
  public var all: [Finding] {
    [self.database] + self.sources + self.workers + self.doors + [self.dailyBackup].compactMap(\.self)
  }

  /// What needs a person.
  public var needs: [Finding] { self.all.filter { $0.state == .bad } }

  /// The backups that are made every day; nil if no folder is configured.
  public var dailyBackup: Finding? {
    guard !self.backups.folder.isEmpty else { return nil }
    let fault =
      self.backups.hasError ? self.say.sentence(Failure(status: self.backups.error)) : self.backups.fault
    guard self.backups.hasLastGood else {
      let none = self.say("No backup was made yet.", "バックアップをまだ作っていません。")
      return fault.isEmpty
        ? Finding(.backup, .look, none, advice: "kith backup now")
        : Finding(.backup, .bad, "\(fault) \(none)", advice: "kith backup now")
    }
    // One day, and the time to make one.
    let isOld = self.say.now.seconds - self.backups.lastGood.seconds > 2 * 86_400
    let made = self.say.relative(self.backups.lastGood)
    let last = self.say("The last good backup was made \(made).", "最後の正しいバックアップは\(made)です。")
    guard isOld || !fault.isEmpty else { return Finding(.backup, .good, made) }
    return Finding(
      .backup, .bad, [fault, isOld ? last : ""].filter { !$0.isEmpty }.joined(separator: " "), advice: "kith backup now"
    )
  }

  /// The state of the database.
  public var database: Finding {
    let storage = self.status.storage
    return switch storage.integrity {
    case .sound:
      Finding(
        .database, .good, self.say("sound, \(storage.bytes / 1_000_000) MB", "正常、\(storage.bytes / 1_000_000) MB"))
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
  public var sources: [Finding] {
    let books = self.status.sync.filter { $0.source != "monica" }.flatMap(self.source)
    let accounts = self.status.sync.filter { $0.source == "monica" }.flatMap(self.account)
    return (books.isEmpty ? [self.none] : books) + accounts
  }

  /// Services without a worker, and workers that do not answer.
  public var workers: [Finding] {
    let work = self.status.work
    let unserved = work.unserved.map { service in
      Finding(
        .workers, .bad,
        self.say(
          "No worker serves \(Self.short(service)): its jobs wait.", "\(Self.short(service)) のワーカーがいないので、待っています。"),
        advice: self.say("Start its kithd worker.", "kithd worker を起動してください。"))
    }
    let silent = work.workers.filter { $0.knownState == .silent }.map { worker in
      Finding(.workers, .look, self.say("\(worker.name) is silent.", "\(worker.name) から応答がありません。"))
    }
    return unserved + silent
  }

  /// What serves browsers.
  public var doors: [Finding] { self.status.doors.map(self.door) }

  private func door(_ door: Door) -> Finding {
    let now = self.say.now.seconds
    if now - door.lastSeen.seconds > 90 {
      let since = self.say.time(door.lastSeen)
      return Finding(
        .web, .bad, self.say("\(door.url) has been away since \(since).", "\(door.url) は \(since) から止まっています。"),
        advice: "systemctl start kith-web")
    }
    if !door.fault.isEmpty { return Finding(.web, .bad, door.fault, advice: "journalctl -u kith-web -n 20") }
    guard door.hasCertificateExpires else { return Finding(.web, .good, door.url) }
    let left = door.certificateExpires.seconds - now
    let end = self.say.time(door.certificateExpires)
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
    let name = Self.name(status)
    if status.state == .error {
      return [self.failed(.sources, name, status, advice: "kith contacts source test \(name)")]
    }
    if status.heldBack > 0 {
      return [
        Finding(
          .sources, .bad,
          self.say(
            "\(name): \(Self.count(status.heldBack, "deletion")) held back.",
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
    let count = Self.count(status.live, "contact")
    let when = self.say.relative(status.lastSuccessAt)
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
            "\(Self.count(status.failed, "change")) refused by the server.", "サーバーが受け付けない変更: \(status.failed)件"),
          advice: "kith monica queue --state failed"))
    }
    if status.conflicts > 0 {
      findings.append(
        Finding(
          .monica, .bad,
          self.say(
            "\(Self.count(status.conflicts, "record")) changed on both sides.", "両方で変わった記録: \(status.conflicts)件"),
          advice: "kith monica conflicts"))
    }
    guard findings.isEmpty else { return findings }
    return [Finding(.monica, .good, self.say.relative(status.lastSuccessAt))]
  }

  /// A server that is away for a short time comes back by itself.
  private func failed(_ subject: Finding.Subject, _ name: String, _ status: SyncStatus, advice: String) -> Finding {
    let failure = Failure(status: status.error)
    let passes = failure.code == .unavailable && status.consecutiveFailures < 3
    return Finding(
      subject, passes ? .look : .bad, "\(name): \(self.say.sentence(failure))", advice: advice)
  }

  /// A service without the package.
  private static func short(_ service: String) -> String { String(service.trimmingPrefix("kith.v1.")) }

  /// The source's name: a status has it as `contacts:NAME`.
  private static func name(_ status: SyncStatus) -> String { String(status.source.trimmingPrefix("contacts:")) }

  private static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
