internal import Bus
internal import Digest
internal import EventLoop
internal import KithMessages
internal import Logging
internal import ZeroMQ

/// The messages of workers.
extension WorkPlane {
  func take(_ frames: [[UInt8]], from peer: [UInt8], userID: String) {
    switch WorkFrame.decode(frames) {
    case .foreign: self.logger.debug("message of another protocol dropped")
    case .rejected(let rejection): self.end(peer, rejection.failure, rejection.encoding)
    case .accepted(let frame):
      self.askedIn = frame.encoding
      // Looked up for every message, so that a change of a key's rights applies at once.
      guard let approval = self.access.approval(userID: userID) else {
        return self.refuse(
          peer, frame, Failure(.unauthenticated, "PRINCIPAL_UNKNOWN", "This hub does not take workers from you."))
      }
      self.take(frame, from: peer, approval)
    }
  }

  private func take(_ frame: WorkFrame, from peer: [UInt8], _ approval: WorkerApproval) {
    let now = ContinuousClock.now
    switch frame.message {
    case .ready(let ready): self.take(ready, frame, from: peer, approval)
    case .heartbeat(let heartbeat): self.perform(self.table.heartbeat(heartbeat, from: peer, now: now))
    case .credit(let credit): self.perform(self.table.credit(credit, from: peer, now: now))
    case .drain: self.perform(self.table.drain(from: peer, now: now))
    case .partial(let partial, _) where partial.batchSeq == 0:
      self.perform(self.table.partial(partial, from: peer, now: now))
    case .partial, .final, .disconnect: self.takeInTurn(frame, from: peer)
    case .fetch(let fetch): self.answer(fetch, to: peer)
    case .chunk(let chunk, let data):
      guard self.table.hear(peer, now) else { return self.perform([LeaseTable.unknownSession(peer)]) }
      self.send(.chunkAck(self.uploads.add(chunk, data, from: peer, now: now)), to: peer)
    case .job, .welcome, .lease, .ack, .cancel, .chunkAck:
      self.refuse(peer, frame, Failure(.unimplemented, "KIND_UNKNOWN", "A worker does not send this kind of message."))
    }
  }

  private func take(_ ready: Ready, _ frame: WorkFrame, from peer: [UInt8], _ approval: WorkerApproval) {
    let services = approval.approved(ready.capabilities)
    do throws(Failure) {
      try GivenName.check(ready.workerName, field: "worker_name")
      guard (1...64).contains(ready.instanceID.utf8.count), !ready.instanceID.utf8.contains(0) else {
        throw .invalid(
          field: "instance_id", "has to be new at every start of a worker, at most 64 bytes, none of them 0.")
      }
      let others = self.table.workers.sessions.values.filter { $0.principal != approval.principal }
      guard !others.contains(where: { $0.instance == ready.instanceID }) else {
        throw .invalid(field: "instance_id", "is that of another worker.")
      }
      guard approval.name == nil || approval.name == ready.workerName else {
        throw Failure(
          .permissionDenied, "ROLE_NOT_ALLOWED", "This key belongs to the worker '\(approval.name ?? "")'.")
      }
      // A name belongs to its key: two workers with one name would replace each other forever.
      let owner = self.access.principal(userID: "key:\(ready.workerName)")
      guard approval.name != nil || owner?.role != .worker else {
        throw .invalid(field: "worker_name", "'\(ready.workerName)' is the name of a worker's key. Choose another.")
      }
      guard !services.isEmpty else {
        throw Failure(
          .permissionDenied, "ROLE_NOT_ALLOWED", "This worker's key is approved for none of its services.")
      }
    } catch { return self.refuse(peer, frame, error) }
    self.encodings[peer] = frame.encoding
    let isNew = self.table.workers[peer] == nil
    let own = services.filter { self.pinned[String($0.prefix { $0 != "/" })].map { $0 == ready.workerName } ?? true }
    self.perform(self.table.ready(ready, from: peer, principal: approval.principal, services: own, now: .now))
    if isNew {
      self.logger.info(
        "worker connected",
        metadata: ["worker": "\(ready.workerName)", "services": "\(services.joined(separator: " "))"])
    }
    self.announceServed()
    self.removeOrphans()
  }

  /// Fails a job whose worker sent a malformed message, because the worker would send the same again.
  func fail(_ job: String, _ lease: String, _ failure: Failure, from peer: [UInt8]) {
    var result = WorkResult()
    result.jobID = job
    result.leaseID = lease
    result.status = failure.status
    self.perform(self.table.final(result, [], from: peer, now: .now))
  }

  private func refuse(_ peer: [UInt8], _ frame: WorkFrame, _ failure: Failure) {
    self.logger.notice("worker refused", metadata: ["reason": "\(failure.reason)", "message": "\(failure.message)"])
    self.end(peer, failure, frame.encoding)
  }

  /// Ends a session because of an invalid message, and tells the worker why. Each of its jobs counts a lost worker, because
  /// a job that makes a worker send invalid messages may do so on every worker.
  private func end(_ peer: [UInt8], _ failure: Failure, _ encoding: Encoding) {
    var message = Disconnect()
    message.status = failure.status
    self.send(.disconnect(message), to: peer, encoding: encoding)
    self.perform(self.table.disconnect(from: peer, isFaulty: true, now: .now))
    self.forget(peer)
  }

  func forget(_ peer: [UInt8]) {
    self.uploads.drop(peer: peer)
    self.encodings[peer] = nil
  }

  // MARK: - Jobs and their inputs

  /// Sends a job with its command, in the worker's encoding.
  func give(_ job: Job, to peer: [UInt8]) {
    guard let record = self.table.jobs[job.jobID]?.record else { return }
    let encoding = self.encodings[peer] ?? .pb
    var (job, body) = (job, record.command)
    if let deadline = self.callers[job.jobID]?.deadline { job.deadline = .init(nanosecondsSince1970: deadline) }
    if encoding == .json {
      do throws(Failure) {
        body = try self.codecs[record.service]?.command(body) ?? []
      } catch {
        return self.fail(job.jobID, job.leaseID, error, from: peer)
      }
    }
    if body.count > WireLimits.body {
      let digest = Hex.encode(SHA256.digest(body))
      job.body.sha256 = digest
      job.body.size = UInt64(body.count)
      self.spilled[job.jobID] = [digest: body]
      body = []
    }
    do throws(Failure) {
      guard try !self.deliver(.job(job, body), service: record.service, to: peer) else { return }
      self.perform(self.table.notSent(job.jobID, now: .now))
    } catch {
      // It would not fit into a message to another worker either.
      self.fail(job.jobID, job.leaseID, error, from: peer)
    }
  }

  /// Sends the requested part of an input to the worker that has its job.
  private func answer(_ fetch: Fetch, to peer: [UInt8]) {
    guard self.table.hear(peer, .now), let instance = self.table.workers[peer]?.instance else {
      return self.perform([LeaseTable.unknownSession(peer)])
    }
    let held = self.table.jobs.values.filter { $0.lease?.instance == instance }.map(\.record.id)
    let bytes = held.lazy.compactMap { id in
      self.callers[id]?.inputs[fetch.sha256] ?? self.spilled[id]?[fetch.sha256]
    }.first
    var chunk = Chunk()
    chunk.sha256 = fetch.sha256
    chunk.offset = fetch.offset
    guard let bytes, fetch.offset <= UInt64(bytes.count) else {
      chunk.status =
        Failure(
          .failedPrecondition, "BLOB_MISSING",
          "This is not an input of a job of this worker, or the job's caller has gone.",
          retryAfterMilliseconds: 1000
        ).status
      self.send(.chunk(chunk, []), to: peer)
      return
    }
    chunk.size = UInt64(bytes.count)
    var offset = Int(fetch.offset)
    let end = min(bytes.count, offset + Int(min(max(fetch.window, 1), WireLimits.window)))
    repeat {
      let next = min(end, offset + WireLimits.attachment)
      chunk.offset = UInt64(offset)
      chunk.eof = next == bytes.count
      let frame = WorkFrame(.chunk(chunk, []), encoding: self.encodings[peer] ?? .pb)
      // If the worker's queue is full, the worker requests the rest again.
      guard (try? self.trySend(frame, data: bytes[offset..<next], to: peer)) == .sent else { return }
      offset = next
    } while offset < end
  }
}

/// Bodies of workers: large ones are decoded outside the event loop, and all are handled in order.
extension WorkPlane {
  /// What has to be decoded before a message is handled.
  private enum Unread {
    case nothing
    /// The body did not arrive before its message; the worker was told.
    case missing
    case body(@Sendable () throws(Failure) -> [UInt8])
  }

  /// Handles a message in the order of its worker, after its body and those before it are decoded.
  func takeInTurn(_ frame: WorkFrame, from peer: [UInt8]) {
    switch self.unreadMessages.enter(frame, from: peer) {
    case .none:
      switch self.unread(frame, from: peer) {
      case .nothing: self.take(frame, .success([]), from: peer)
      case .missing: break
      case .body(let read): self.take(frame, Self.result(of: read), from: peer)
      }
    case .first: self.readNext()
    case .later: break
    case .dropped: self.logger.debug("too much waits to be read", metadata: ["kind": "\(frame.message.kind)"])
    }
  }

  private func readNext() {
    while let message = self.unreadMessages.first {
      switch self.unread(message.frame, from: message.peer) {
      case .nothing: self.take(message.frame, .success([]), from: message.peer)
      case .missing: break
      case .body(let read):
        Task.detached { [weak self] in
          let result = Self.result(of: read)
          self?.post { $0.wasRead(message, result) }
        }
        return
      }
      self.unreadMessages.removeFirst()
    }
  }

  private func wasRead(_ message: UnreadMessages.Message, _ result: Result<[UInt8], Failure>) {
    // The worker keeps unacknowledged messages and sends them to the next process.
    guard !self.isClosing else { return }
    self.unreadMessages.removeFirst()
    self.take(message.frame, result, from: message.peer)
    self.readNext()
    self.arm()
  }

  private static func result(of read: () throws(Failure) -> [UInt8]) -> Result<[UInt8], Failure> {
    do throws(Failure) {
      return .success(try read())
    } catch {
      return .failure(error)
    }
  }

  private func unread(_ frame: WorkFrame, from peer: [UInt8]) -> Unread {
    let (body, outputs, codec): ([UInt8], [BlobRef], (@Sendable ([UInt8], Encoding) throws(Failure) -> [UInt8])?)
    switch frame.message {
    // The body of a repeated batch is not kept: the caller has it.
    case .partial(let partial, let bytes) where self.table.wants(partial):
      (body, outputs, codec) = (bytes, partial.outputs, self.codec(of: partial.jobID)?.batch)
    case .final(let result, let bytes) where result.status.code == .ok && self.table.wants(result):
      (body, outputs, codec) = (bytes, result.outputs, self.codec(of: result.jobID)?.reply)
    default: return .nothing
    }
    guard let codec else { return .nothing }
    guard let whole = self.whole(body, outputs, from: peer) else { return .missing }
    let encoding = frame.encoding
    return .body { () throws(Failure) in try codec(whole, encoding) }
  }

  private func codec(of job: String) -> JobCodec? { self.table.jobs[job].flatMap { self.codecs[$0.record.service] } }

  /// - Parameter read: The body in protobuf; empty if there was nothing to decode.
  private func take(_ frame: WorkFrame, _ read: Result<[UInt8], Failure>, from peer: [UInt8]) {
    let now = ContinuousClock.now
    self.askedIn = frame.encoding
    switch (frame.message, read) {
    case (.partial(let partial, _), .success(let batch)):
      self.perform(self.table.partial(partial, from: peer, now: now), batch: batch)
    case (.partial(let partial, _), .failure(let failure)):
      self.fail(partial.jobID, partial.leaseID, failure, from: peer)
    case (.final(let result, _), .success(let reply)):
      self.perform(self.table.final(result, reply, from: peer, now: now))
    case (.final(let result, _), .failure(let failure)): self.fail(result.jobID, result.leaseID, failure, from: peer)
    case (.disconnect, _):
      self.perform(self.table.disconnect(from: peer, now: now))
      self.forget(peer)
    default: break
    }
  }

  /// The body from the frame or from the chunks before it; nil if chunks are missing, which is reported to the worker.
  private func whole(_ body: [UInt8], _ outputs: [BlobRef], from peer: [UInt8]) -> [UInt8]? {
    guard let output = outputs.first else { return body }
    if let whole = self.uploads.take(output.sha256, from: peer) { return whole }
    var ack = ChunkAck()
    ack.sha256 = output.sha256
    ack.status = Failure(.failedPrecondition, "BLOB_MISSING", "Send the body first, in chunks.").status
    self.send(.chunkAck(ack), to: peer)
    return nil
  }
}
