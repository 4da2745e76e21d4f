internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// Jobs as table rows.
struct JobTable {
  private let jobs: [JobInfo]

  init(_ jobs: [JobInfo]) { self.jobs = jobs }

  func lines(_ session: Session) -> [String] {
    let say = session.language
    guard !self.jobs.isEmpty else { return [say("No jobs found.", "ジョブはありません。")] }
    var table = Table(
      [
        Column("STATE", "状態"), Column("SERVICE", "処理"), Column("ATTEMPT", "回数", .right, drops: 2),
        Column("WORKER", "ワーカー", drops: 1),
        Column("WAITS FOR", "待つもの", drops: 3),
        Column("SINCE", "登録", drops: 4), Column("WHY", "理由", wraps: true), Column("ID"),
      ], hidesEmpty: true)
    for job in self.jobs {
      table.add(
        job.stateInWords(say), JobCard.short(job.service), job.attempt == 0 ? "" : "\(job.attempt)", job.worker,
        job.waitInWords(say), session.ago(job.createdAt), job.reasonInWords(say), session.ids[job.jobID])
    }
    return table.lines(session)
  }
}

/// One job in full.
struct JobCard {
  private let job: JobInfo

  init(_ job: JobInfo) { self.job = job }

  func lines(_ session: Session) -> [String] {
    let say = session.language
    func row(_ label: String, _ value: String) -> String { Printable.padded(label, to: 10, alignment: .left) + value }
    var lines = [
      "\(Self.short(self.job.service)) \(self.job.stateInWords(say))", row("ID", session.ids[self.job.jobID]),
    ]
    if !self.job.waitsFor.isEmpty { lines.append(row(say("Waits for", "待つもの"), self.job.waitInWords(say))) }
    if !self.job.worker.isEmpty { lines.append(row(say("Worker", "ワーカー"), Printable.text(self.job.worker))) }
    lines.append(
      row(
        say("Attempts", "回数"),
        say("\(self.job.attempt), \(self.job.losses) lost", "\(self.job.attempt)回、中断 \(self.job.losses)回")))
    if self.job.batches > 0 {
      lines.append(
        row(
          say("Stored", "保存済み"),
          say(Count.of(Int(self.job.batches), "batch", plural: "batches"), "\(self.job.batches)件")))
    }
    if !self.job.note.isEmpty { lines.append(row(say("Progress", "進行"), Printable.text(self.job.note))) }
    lines.append(row(say("Made", "登録"), session.ago(self.job.createdAt)))
    let why = self.job.reasonInWords(say)
    if !why.isEmpty { lines.append(row(say("Why", "理由"), Printable.text(why))) }
    return lines
  }

  /// A method without the package.
  static func short(_ service: String) -> String {
    service.hasPrefix("kith.v1.") ? String(service.dropFirst(8)) : Printable.text(service)
  }
}

extension JobInfo {
  /// The state in words.
  func stateInWords(_ say: Language) -> String { self.knownState?.words(say) ?? Printable.text(self.state) }

  /// What a queued job waits for.
  func waitInWords(_ say: Language) -> String {
    JobWait(rawValue: self.waitsFor)?.words(say) ?? Printable.text(self.waitsFor)
  }

  /// Why it failed, with the reason that is for programs; empty if it did not.
  func reasonInWords(_ say: Language) -> String {
    guard self.status.code != .ok else { return "" }
    return "\(self.status.reason): \(Failure(status: self.status).read(in: say).message)"
  }
}

extension WorkerInfo {
  /// The state in words.
  func stateInWords(_ say: Language) -> String { self.knownState?.words(say) ?? Printable.text(self.state) }
}

/// Connected workers as table rows.
struct WorkerTable {
  private let workers: [WorkerInfo]

  init(_ workers: [WorkerInfo]) { self.workers = workers }

  func lines(_ session: Session) -> [String] {
    guard !self.workers.isEmpty else { return [] }
    var table = Table([
      Column("WORKER", "ワーカー", drops: 1), Column("STATE", "状態"), Column("JOBS", "ジョブ", .right),
      Column("FREE", "空き", .right, drops: 1),
      Column("SINCE", "登録", drops: 4), Column("SERVES", "処理", wraps: true),
    ])
    for worker in self.workers {
      let services = Set(worker.services.map { JobCard.short(String($0.prefix { $0 != "/" })) })
      table.add(
        worker.name, worker.stateInWords(session.language), "\(worker.leases)", "\(worker.credit)",
        session.ago(worker.since),
        services.sorted().joined(separator: ", "))
    }
    return [""] + table.lines(session)
  }
}
