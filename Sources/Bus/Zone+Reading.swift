public import CivilTime

extension Zone {
  /// Reads the time zone of a request.
  ///
  /// - Parameter name: Of the IANA database, such as Asia/Tokyo; empty = the zone that this machine is set to now.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` naming `time_zone`.
  public static func reading(_ name: String) throws(Failure) -> Zone {
    guard !name.isEmpty else { return .system() }
    guard let zone = Zone(named: name) else {
      throw .invalid(
        field: "time_zone", "'\(name.prefix(64))' is no time zone. Give the name of one, such as Asia/Tokyo.")
    }
    return zone
  }
}
