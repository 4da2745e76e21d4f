internal import Bus
internal import Certificates
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import Pages
internal import WebRules

/// What shows how the door is: `/healthz`, `/metrics` and the certificate authority.
struct StateRoutes: Sendable {
  let parts: DoorParts

  /// Whether the hub answers.
  func health() -> Response {
    let isUp = self.parts.link.isUp && self.parts.fan.isStarted
    let json = "{\"hub\":\"\(isUp ? "up" : "away")\",\"version\":\(JSONText.quoted(SoftwareVersion.current))}"
    var response = Response.bytes(json.utf8, "application/json", status: isUp ? .ok : .serviceUnavailable)
    if !isUp { response.set("Retry-After", "2") }
    return response
  }

  /// The numbers of the door, for admins.
  func metrics(_ admitted: Admission.Admitted) async throws(Refusal) -> Response {
    guard let credential = admitted.credential else { throw Refusal(401, Token.unknown) }
    do throws(Failure) {
      let device = try await self.parts.devices.find(credential, isFresh: true)
      guard device.role == "admin" else {
        throw Failure(
          .permissionDenied, "ROLE_NOT_ALLOWED", "The metrics need the role admin; this device is \(device.role).")
      }
    } catch {
      throw self.parts.refusal(error, admitted)
    }
    return .bytes(self.parts.metrics.text.utf8, "text/plain; version=0.0.4; charset=utf-8")
  }

  /// The own certificate authority. It is no secret: its certificate is sent with each handshake.
  func authority(_ form: Target.AuthorityForm, _ head: RequestHead) throws(Refusal) -> Response {
    guard let authority = self.parts.authority else {
      throw Refusal(
        404,
        Failure(.notFound, "PAGE_UNKNOWN", "This door has no certificate authority of its own: nothing to install."))
    }
    switch form {
    case .certificate: return .bytes(authority.der, "application/x-x509-ca-cert")
    case .profile: return .bytes(authority.appleProfile.utf8, "application/x-apple-aspen-config")
    case .page:
      let pages = DoorPages(head.language)
      var response = Response.page(pages.authority(fingerprint: fingerprint(ofDER: authority.der)))
      response.set("Vary", "Accept-Language")
      return response
    }
  }
}
