internal import Bus
internal import Certificates
internal import EventLoop
internal import KithMessages
internal import WebRules

/// What the routes share.
struct DoorParts: Sendable {
  let link: HubLink
  let devices: KnownDevices
  let household: Household
  let fan: EventFan
  let forms = FormToken()
  let metrics: WebMetrics
  /// The own certificate authority, which devices install; nil = there is none.
  let authority: Authority?
  let limits = Lock(DeviceLimits())
  let addresses = Lock(AddressLimits())

  /// Counts a request of a device until the hold is gone.
  ///
  /// - Throws: 429.
  func holdRequest(_ device: String, isWrite: Bool) throws(Refusal) -> Hold {
    try self.limits.withLock { limits throws(Refusal) in
      try limits.begin(device, isWrite: isWrite, now: .now)
    }
    return Hold { self.limits.withLock { $0.end(device) } }
  }

  /// Counts a stream of a device until the hold is gone.
  ///
  /// - Throws: 429.
  func holdStream(_ device: String) throws(Refusal) -> Hold {
    try self.limits.withLock { limits throws(Refusal) in try limits.beginStream(device, now: .now) }
    return Hold { self.limits.withLock { $0.endStream(device) } }
  }

  /// The refusal of a command that the hub, or the way to it, failed. Counts tokens that the hub did not know.
  func refusal(_ failure: Failure, _ admitted: Admission.Admitted) -> Refusal {
    if failure.code == .unauthenticated {
      self.addresses.withLock { $0.countUnknown(from: admitted.caller.address, now: .now) }
      if let credential = admitted.credential { self.limits.withLock { $0.reject(credential.digest) } }
    }
    return Refusal(failure)
  }
}

/// A place that is taken for as long as this is kept: also if an answer is never written, because its reader has left.
final class Hold: Sendable {
  private let release: @Sendable () -> Void

  init(_ release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { self.release() }
}
