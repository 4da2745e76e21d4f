internal import Bus
internal import CivilTime
internal import EventLoop
internal import KithMessages
internal import WebRules

/// What pages show of the household as a whole: its time zone.
final class Household: Sendable {
  /// How long an answer of the hub counts.
  private static let lifetime = Duration.seconds(60)

  private let link: HubLink
  private let known = Lock<(zone: Zone, until: ContinuousClock.Instant)?>(nil)

  init(_ link: HubLink) { self.link = link }

  /// The time zone, as a device learns it from the hub; that of this machine if the household has none.
  func zone(as credential: Credential) async throws(Failure) -> Zone {
    if let known = self.known.withLock({ $0 }), known.until > .now { return known.zone }
    let settings = try await self.link.call(CareSettingsRequest(), token: credential.token).reply
    let zone = Zone(named: settings.timeZone) ?? .system()
    self.known.withLock { $0 = (zone, .now + Self.lifetime) }
    return zone
  }
}
