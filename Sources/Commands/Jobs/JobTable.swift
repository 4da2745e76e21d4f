internal import KithMessages
internal import SwiftProtobuf

/// Jobs as table rows.
struct JobTable {
  private let jobs: [JobInfo]

  init(_ jobs: [JobInfo]) { self.jobs = jobs }

  func lines(_ session: Session) -> [String] {
    guard !self.jobs.isEmpty else { return [session.language("No jobs found.", "ジョブはありません。")] }
    var table = Table(
      [
        Column("STATE", "状態"), Column("SERVICE", "処理"), Column("ATTEMPT", "回数", .right, drops: 2),
        Column("WORKER", "ワーカー", drops: 1),
        Column("WAITS FOR", "待つもの", drops: 3),
        Column("SINCE", "登録", drops: 4), Column("WHY", "理由", wraps: true), Column("ID"),
      ], hidesEmpty: true)
    for job in self.jobs {
      table.add(
        job.state, JobCard.short(job.service), job.attempt == 0 ? "" : "\(job.attempt)", job.worker, job.waitsFor,
        session.ago(job.createdAt), job.status.reason, session.ids[job.jobID])
    }
    return table.lines(session)
  }
}

/// One job in full.
struct JobCard {
  private let job: JobInfo

  init(_ job: JobInfo) { self.job = job }

  func lines(_ session: Session) -> [String] {
    var lines = ["\(Self.short(self.job.service)) \(self.job.state)", "ID        \(session.ids[self.job.jobID])"]
    if !self.job.waitsFor.isEmpty { lines.append("Waits     for \(self.job.waitsFor)") }
    if !self.job.worker.isEmpty { lines.append("Worker    \(Printable.text(self.job.worker))") }
    lines.append("Attempts  \(self.job.attempt), \(self.job.losses) lost")
    if self.job.batches > 0 { lines.append("Stored    \(Count.of(Int(self.job.batches), "batch", plural: "batches"))") }
    if !self.job.note.isEmpty { lines.append("Progress  \(Printable.text(self.job.note))") }
    lines.append("Made      \(session.ago(self.job.createdAt))")
    if self.job.status.code != .ok {
      lines.append("Why       \(self.job.status.reason): \(Printable.text(self.job.status.message))")
    }
    return lines
  }

  /// A method without the package.
  static func short(_ service: String) -> String {
    service.hasPrefix("kith.v1.") ? String(service.dropFirst(8)) : Printable.text(service)
  }
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
        worker.name, worker.state, "\(worker.leases)", "\(worker.credit)", session.ago(worker.since),
        services.sorted().joined(separator: ", "))
    }
    return [""] + table.lines(session)
  }
}
