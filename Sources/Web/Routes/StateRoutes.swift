internal import Bus
internal import Certificates
internal import Findings
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import Pages
internal import WebRules

/// What shows how the door is: `/healthz`, `/metrics` and the certificate authority.
struct StateRoutes: Sendable {
  let parts: DoorParts

  /// What a supervisor asks for.
  private struct Health: Encodable {
    let hub: String
    let version: String
    /// The worst state of the findings; nil = who asks is nobody the hub knows.
    var state: Finding.State?
    var findings: [Finding]?
  }

  /// Whether the hub answers. A device also learns what needs a person.
  func health(_ head: RequestHead, _ admitted: Admission.Admitted) async throws(Refusal) -> Response {
    let isUp = self.parts.link.isUp && self.parts.fan.isStarted
    var health = Health(hub: isUp ? "up" : "away", version: SoftwareVersion.current)
    if isUp, let credential = admitted.credential {
      do throws(Failure) {
        let findings = try await self.findings(as: credential, head.language)
        health.findings = findings
        health.state = findings.map(\.state).max() ?? .good
      } catch {
        throw self.parts.refusal(error, admitted)
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = (try? encoder.encode(health)) ?? Data()
    var response = Response.bytes(json, "application/json", status: isUp ? .ok : .serviceUnavailable)
    if !isUp { response.set("Retry-After", "2") }
    if health.findings != nil { response.set("Vary", "Accept-Language") }
    return response
  }

  private func findings(as credential: Credential, _ language: PageLanguage) async throws(Failure) -> [Finding] {
    let view = try await PageRoutes(parts: self.parts).view(for: credential, language)
    let hub = DevicePort(link: self.parts.link, token: credential.token)
    let backups = try await hub.askIfServed(ListBackupsRequest()) ?? BackupState()
    let all = StatusExamination(try await hub.ask(StatusRequest()), backups, PageReader(view: view)).all
    // What to do is said to those who can do it: it names paths and commands of the server.
    return view.role == .admin ? all : all.map { Finding($0.subject, $0.state, $0.found) }
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
