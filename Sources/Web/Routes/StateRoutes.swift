internal import Bus
internal import Certificates
internal import Digest
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import NIOCore
internal import Pages
internal import WebFiles
internal import WebRules

/// The files of pages, and what shows how the door is: `/files/…`, `/healthz`, `/metrics`, `/api/openapi.json`.
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
      let pages = DoorPages(PageLanguage(accepted: head.field("accept-language")))
      var response = Response.page(pages.authority(fingerprint: fingerprint(ofDER: authority.der)))
      response.set("Vary", "Accept-Language")
      return response
    }
  }

  /// A file that is part of the program.
  func file(_ name: String) throws(Refusal) -> Response {
    guard let file = EmbeddedFile.all[name] else {
      throw Refusal(404, Failure(.notFound, "PAGE_UNKNOWN", "There is no such file."))
    }
    var response = Response.bytes(file.bytes, file.mediaType)
    response.headers[.cacheControl] = "no-cache"
    return response
  }
}

/// The style sheet of the family's pages, and the mark by which their policy allows it (Content Security Policy 3, 2.3.1).
enum PageStyle {
  static let text = String(decoding: EmbeddedFile("page.css")?.bytes ?? [], as: UTF8.self)
  static let source = "'sha256-\(Data(SHA256.digest(Array(Self.text.utf8))).base64EncodedString())'"
}

/// A file that the compiler put into the program.
private struct EmbeddedFile: Sendable {
  let mediaType: String
  /// All answers share them: readers of a file, however many and slow, take no memory for it.
  let bytes: ByteBuffer

  /// All of them, by their names.
  static let all: [String: EmbeddedFile] = {
    var all: [String: EmbeddedFile] = [:]
    while let file = kith_web_file_at(all.count)?.pointee {
      all[String(cString: file.name)] = EmbeddedFile(
        mediaType: String(cString: file.media_type),
        bytes: ByteBuffer(bytes: UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }
    return all
  }()
}
