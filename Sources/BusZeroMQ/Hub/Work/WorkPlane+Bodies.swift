internal import Bus
internal import EventLoop
internal import KithMessages
internal import Logging

/// Bodies of workers: read where they hold up nobody, and taken in in the order in which they came.
extension WorkPlane {
  /// What there is to read before a message is taken in.
  private enum Unread {
    case nothing
    /// It did not come before its message, which the worker was told.
    case missing
    case body(@Sendable () throws(Failure) -> [UInt8])
  }

  /// Takes in a message whose place among those of its worker counts: when its body, and those before it, were read.
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
    // The worker keeps what has no answer, and sends it to the next process.
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
    // The body of a batch that has come before is gone: it is with the caller.
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

  /// - Parameter read: The body in protobuf; empty where there was nothing to read.
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

  /// A body that came in the frame, or in chunks before it; nil when those are not there, which the worker is told.
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
