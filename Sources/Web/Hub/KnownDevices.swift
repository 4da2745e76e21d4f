internal import Bus
internal import EventLoop
internal import KithMessages
internal import WebRules

/// Who the devices are whose tokens were shown lately, as the hub says.
final class KnownDevices: Sendable {
  /// A device.
  struct Device: Sendable, Hashable {
    /// Its name.
    let name: String
    /// Its role, such as `recorder`.
    let role: String
  }

  /// How long an answer of the hub counts.
  private static let lifetime = Duration.seconds(30)
  private static let limit = 256

  private let link: HubLink
  private let known = Lock<[String: (device: Device, until: ContinuousClock.Instant)]>([:])

  init(_ link: HubLink) { self.link = link }

  /// Finds out whose a token is.
  ///
  /// - Parameter isFresh: Whether the hub is asked in any case.
  /// - Throws: `UNAUTHENTICATED` if the hub does not know it.
  func find(_ credential: Credential, isFresh: Bool = false) async throws(Failure) -> Device {
    let digest = credential.digest
    let now = ContinuousClock.now
    if !isFresh, let known = self.known.withLock({ $0[digest] }), known.until > now { return known.device }
    do throws(Failure) {
      let reply = try await self.link.call(WhoamiRequest(), token: credential.token).reply
      let device = Device(name: reply.name, role: reply.role)
      self.known.withLock { known in
        if known.count >= Self.limit { known = known.filter { $0.value.until > now } }
        if known.count < Self.limit { known[digest] = (device, now + Self.lifetime) }
      }
      return device
    } catch {
      if error.code == .unauthenticated { self.forget(digest) }
      throw error
    }
  }

  /// Whether the hub has named the device lately.
  func isKnown(_ digest: String) -> Bool { self.known.withLock { $0[digest] }.map { $0.until > .now } ?? false }

  /// Forgets a device.
  func forget(_ digest: String) { self.known.withLock { $0[digest] = nil } }

  /// Forgets a device by its name.
  func forget(named name: String) { self.known.withLock { $0 = $0.filter { $0.value.device.name != name } } }
}
