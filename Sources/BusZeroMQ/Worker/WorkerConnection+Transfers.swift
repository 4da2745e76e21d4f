internal import Bus
internal import Digest
internal import EventLoop
internal import KithMessages

/// Downloads of inputs, and uploads of results larger than a frame.
extension WorkerConnection {
  /// Fetches an input and verifies it, outside the event loop: the digest of many MiB would block it.
  nonisolated func input(_ blob: BlobRef, for lease: String) async throws(Failure) -> [UInt8] {
    let bytes = try await self.fetch(blob, for: lease)
    guard Hex.encode(SHA256.digest(bytes)) == blob.sha256 else {
      throw Failure(.dataLoss, "DIGEST_MISMATCH", "An input of the job does not match its SHA-256.")
    }
    return bytes
  }

  private func fetch(_ blob: BlobRef, for lease: String) async throws(Failure) -> [UInt8] {
    let id = Transfer(lease: lease, sha256: blob.sha256)
    let result = await withCheckedContinuation { (end: CheckedContinuation<Result<[UInt8], Failure>, Never>) in
      guard self.tasks[lease] != nil, self.downloads[id] == nil else {
        return end.resume(returning: .failure(.cancelled))
      }
      var download = Download(blob, now: .now)
      self.send(.fetch(download.ask(.now)))
      self.downloads[id] = (download, end)
      self.arm()
    }
    return try result.get()
  }

  func askAgain(_ id: Transfer, _ now: ContinuousClock.Instant) {
    guard let fetch = self.downloads[id]?.download.again(now: now) else { return }
    self.send(.fetch(fetch))
  }

  func take(_ chunk: Chunk, _ data: [UInt8], _ now: ContinuousClock.Instant) {
    for id in self.downloads.keys.filter({ $0.sha256 == chunk.sha256 }) {
      switch self.downloads[id]?.download.take(chunk, data, now: now) {
      case .ask(let fetch): self.send(.fetch(fetch))
      case .whole(let bytes): self.downloads.removeValue(forKey: id)?.end.resume(returning: .success(bytes))
      case .missing(let failure):
        self.downloads.removeValue(forKey: id)?.end.resume(returning: .failure(failure))
      case .waiting, nil: break
      }
    }
  }

  func upload(_ upload: Upload, for lease: String) async throws(Failure) -> BlobRef {
    let id = Transfer(lease: lease, sha256: upload.blob.sha256)
    let failure = await withCheckedContinuation { (end: CheckedContinuation<Failure?, Never>) in
      guard self.tasks[lease] != nil else { return end.resume(returning: .cancelled) }
      self.uploads[id] = upload
      self.uploaded[id] = end
      self.goOn(id)
      self.arm()
    }
    if let failure { throw failure }
    return upload.blob
  }

  func sendAgain(_ id: Transfer, _ now: ContinuousClock.Instant) {
    self.uploads[id]?.again(now: now)
    self.goOn(id)
  }

  func goOn(_ id: Transfer) {
    guard var upload = self.uploads[id] else { return }
    for (chunk, data) in upload.next() { self.send(.chunk(chunk, data)) }
    self.uploads[id] = upload.refusal == nil ? upload : nil
    guard upload.isDone || upload.refusal != nil else { return }
    self.uploaded.removeValue(forKey: id)?.resume(returning: upload.refusal)
  }

  /// Resumes the transfers in a new session, because messages of the previous one may be lost.
  func resumeTransfers() {
    let now = ContinuousClock.now
    for id in self.downloads.keys { self.askAgain(id, now) }
    for (id, upload) in self.uploads where !upload.isDone { self.sendAgain(id, now) }
  }

  /// Removes blobs that the hub has stored, except those that are being sent again.
  func letGo(_ blobs: [BlobRef], of lease: String) {
    for blob in blobs {
      let id = Transfer(lease: lease, sha256: blob.sha256)
      if self.uploaded[id] == nil { self.uploads[id] = nil }
    }
  }

  /// Ends the transfers of leases that are over.
  func forgetTransfers() {
    guard !self.downloads.isEmpty || !self.uploads.isEmpty else { return }
    let leases = Set(self.machine.leases)
    for id in self.downloads.keys where !leases.contains(id.lease) {
      self.downloads.removeValue(forKey: id)?.end.resume(returning: .failure(.cancelled))
    }
    for id in self.uploads.keys where !leases.contains(id.lease) {
      self.uploads[id] = nil
      self.uploaded.removeValue(forKey: id)?.resume(returning: .cancelled)
    }
  }
}
