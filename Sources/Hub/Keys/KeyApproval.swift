internal import Bus
internal import KithMessages
internal import SwiftProtobuf
internal import ZeroMQ

/// A checked request to approve a key: a pure value.
struct KeyApproval: Sendable {
  private static let longest: Int64 = 100 * 366 * 86_400

  /// The key; nil if the request has only its fingerprint.
  let publicKey: CurveKey?
  let fingerprint: String
  let name: String
  let role: Role
  let services: [String]
  /// Seconds; nil = without end.
  let validFor: Int64?

  /// Checks a request.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  init(_ request: KeyApproveRequest) throws(Failure) {
    if request.publicKeyZ85.isEmpty {
      self.publicKey = nil
      self.fingerprint = request.fingerprint.lowercased()
      guard self.fingerprint.count == 16, self.fingerprint.allSatisfy(\.isHexDigit) else {
        throw .invalid(
          field: "fingerprint", "has to be 16 hex digits. `kith keys pending` shows those of the keys that wait.")
      }
    } else {
      guard let key = CurveKey(text: request.publicKeyZ85) else {
        throw .invalid(field: "public_key_z85", "is not a key: 64 hex digits, as `kith keys new` prints them.")
      }
      self.publicKey = key
      self.fingerprint = KeyFingerprint.of(key.bytes)
      guard request.fingerprint.isEmpty || request.fingerprint.lowercased() == self.fingerprint else {
        throw .invalid(field: "fingerprint", "is not that of the key, which is \(self.fingerprint).")
      }
    }
    self.name = try GivenName.check(request.name, field: "name")
    guard let role = request.role.isEmpty ? .viewer : Role(rawValue: request.role.lowercased()) else {
      throw .invalid(field: "role", "has to be one of \(Role.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    self.role = role
    self.services = try Self.services(request.services, of: role)
    guard request.hasValidFor else {
      self.validFor = nil
      return
    }
    guard (1...Self.longest).contains(request.validFor.seconds) else {
      throw .invalid(field: "valid_for", "has to be at least a second, and at most a hundred years.")
    }
    self.validFor = request.validFor.seconds
  }

  /// The approved key to store.
  ///
  /// - Parameters:
  ///   - known: The stored key; nil if it is unknown.
  ///   - now: Nanoseconds since 1970.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`, `FAILED_PRECONDITION/KEY_REVOKED`.
  func applied(to known: KeyInfo?, now: Int64) throws(Failure) -> KeyInfo {
    guard known?.knownState != .revoked else {
      throw Failure(
        .failedPrecondition, "KEY_REVOKED",
        "The key \(self.fingerprint) was revoked permanently. Make a new one there: kith keys new --file FILE")
    }
    var key = known ?? KeyInfo()
    if known == nil {
      guard let publicKey else {
        throw .unknownRecord(
          self.fingerprint,
          "No key \(self.fingerprint) tried to connect. `kith keys pending` lists those that did; --public-key approves a key in advance."
        )
      }
      key.publicKeyZ85 = publicKey.z85
      key.fingerprint = self.fingerprint
      key.created = .init(nanosecondsSince1970: now)
    }
    key.name = self.name
    key.role = self.role.rawValue
    key.services = self.services
    key.knownState = .approved
    key.clearExpires()
    if let validFor { key.expires = .init(seconds: now / 1_000_000_000 + validFor) }
    return key
  }

  private static let placeable = PlaceableService.allCases.map(\.rawValue).joined(separator: ", ")

  private static func services(_ names: [String], of role: Role) throws(Failure) -> [String] {
    guard role == .worker else {
      guard names.isEmpty else { throw .invalid(field: "services", "belong to the role worker.") }
      return []
    }
    var services: Set<String> = []
    for name in names {
      guard let service = PlaceableService(called: name) else {
        throw .invalid(field: "services", "'\(name.prefix(64))' is not a service; the services are \(self.placeable).")
      }
      services.insert(service.name)
    }
    guard !services.isEmpty else {
      throw .invalid(field: "services", "are missing: a worker needs at least one of \(self.placeable).")
    }
    return services.sorted()
  }
}
