package import Bus
internal import BusZeroMQ
internal import Glibc
internal import KithMessages
internal import ZeroMQ

/// Finds the hub on this machine, and explains why it does not answer.
package enum LocalHub {
  /// Returns the first place where a hub listens.
  ///
  /// - Throws: `PERMISSION_DENIED/SOCKET_FORBIDDEN` if this user may not reach one of the sockets,
  ///   `UNAVAILABLE/HUB_NOT_RUNNING` otherwise.
  package static func find(_ places: [RuntimeLocations]) throws(Failure) -> RuntimeLocations {
    var closed: IPCEndpoint?
    for place in places {
      let endpoint = try Self.endpoint(place)
      switch endpoint.reach() {
      case .listening: return place
      case .forbidden: closed = closed ?? endpoint
      case .absent: break
      }
    }
    if let closed { throw .forbidden(closed) }
    throw Failure(
      .unavailable, "HUB_NOT_RUNNING",
      """
      No kithd answers at \(places.map(\.runtimeDirectory).joined(separator: " or ")). Start it with `kithd`, or with \
      `systemctl --user start kithd` where it is installed; --runtime-dir or KITH_RUNTIME_DIR says where else to look.
      """, details: ["places": places.map(\.runtimeDirectory).joined(separator: ", ")])
  }

  /// Why a listening hub did not answer. The kernel tells the hub our user; a user without access gets no answer.
  static func silent(at place: RuntimeLocations) -> Failure {
    guard let owner = (try? Self.endpoint(place))?.owner, owner != geteuid() else {
      return Failure(
        .unavailable, "HUB_SILENT",
        """
        kithd listens at \(place.runtimeDirectory) and does not answer. Look into its log (`journalctl --user -u kithd`), and \
        start it again if it hangs.
        """)
    }
    let (user, name) = (LocalUser.name(of: geteuid()), LocalUser.name(of: owner))
    return Failure(
      .unauthenticated, "PRINCIPAL_UNKNOWN",
      """
      The kithd at \(place.runtimeDirectory) belongs to the user \(name) and does not let \(user) in. Run this as \(name) \
      (`sudo -u \(name) kith …`), or have \(user) added to [users] of its kithd.toml.
      """)
  }

  private static func endpoint(_ place: RuntimeLocations) throws(Failure) -> IPCEndpoint {
    do throws(IPCError) {
      return try IPCEndpoint(path: place.controlSocket)
    } catch {
      throw Failure(.invalidArgument, "FIELD_INVALID", error.description)
    }
  }
}
