internal import Bus
internal import KithMessages
internal import SwiftProtobuf

internal import struct Foundation.Data

/// The messages of the table to workers.
extension LeaseTable {
  func message(_ job: LeasedJob) -> Job {
    var message = Job()
    message.jobID = job.record.id
    message.attempt = job.record.attempt
    message.leaseID = job.record.leaseID
    message.lease = .init(of: self.timing.lease)
    message.delivery = job.isOnce ? .atMostOnce : .atLeastOnce
    message.inputs = job.record.inputs
    message.checkpoint = Data(job.record.checkpoint)
    message.service = job.record.service
    message.batches = job.record.batches
    return message
  }

  static func ack(_ job: String, _ lease: String, isDuplicate: Bool) -> WorkMessage {
    var ack = Ack()
    ack.jobID = job
    ack.leaseID = lease
    ack.duplicate = isDuplicate
    return .ack(ack)
  }

  static func cancel(_ job: LeasedJob, _ reason: String) -> Cancel {
    var cancel = Cancel()
    cancel.jobID = job.record.id
    cancel.leaseID = job.lease?.id ?? ""
    cancel.reason = reason
    return cancel
  }

  static func committed(_ job: LeasedJob) -> WorkMessage {
    var update = LeaseUpdate()
    update.jobID = job.record.id
    update.leaseID = job.record.leaseID
    update.renewed = [job.record.leaseID]
    update.committedBatch = job.record.batches
    return .lease(update)
  }

  static func revoked(_ lease: String) -> WorkMessage {
    var update = LeaseUpdate()
    update.revoked = [lease]
    return .lease(update)
  }

  static func disconnect(_ code: Code, _ reason: String, _ text: String, after delay: Duration? = nil) -> WorkMessage {
    var message = Disconnect()
    message.status = Failure(code, reason, text).status
    if let delay { message.reconnectAfter = .init(of: delay) }
    return .disconnect(message)
  }

  static func unknownSession(_ peer: Peer) -> Directive {
    .send(
      peer,
      Self.disconnect(.failedPrecondition, "SESSION_UNKNOWN", "This hub does not know the session. Send READY again."))
  }
}

extension Google_Protobuf_Duration {
  init(of duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
  }

  /// The duration as a Swift value.
  var span: Duration { .seconds(self.seconds) + .nanoseconds(Int64(self.nanos)) }
}

extension UInt32 {
  mutating func clamp(to limit: UInt32) { self = Swift.min(self, limit) }
}
