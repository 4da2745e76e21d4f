internal import Bus
internal import CivilTime
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithClient
internal import KithMessages
internal import Pages
internal import SwiftProtobuf
internal import WebRules

/// The family's pages, and the forms in them.
struct PageRoutes: Sendable {
  /// A correction of a message has its text as it was and as it is, each up to 10,000 characters of twelve bytes.
  private static let largestForm = 256 << 10

  let parts: DoorParts

  /// Shows a page. A device that has not joined gets the door's own first page.
  func page(_ address: PageAddress, _ head: RequestHead, _ admitted: Admission.Admitted) async -> Response {
    let language = head.language
    guard let credential = admitted.credential else {
      return self.first(language, admitted)
    }
    do throws(Failure) {
      let view = try await self.view(for: credential, language)
      let page = address.page(path: head.path) { head.query[$0] }
      // Asked before the hub is: what changes from here on may be missing on the page.
      let vector = self.parts.fan.vector
      let shown = try await page.show(view, DevicePort(link: self.parts.link, token: credential.token))
      var response = Response.page(self.framed(shown, view, at: vector?.only(shown.streams).text ?? ""))
      response.set("Vary", "Accept-Language")
      return response
    } catch {
      let refusal = self.parts.refusal(error, admitted)
      guard error.code != .unauthenticated else {
        var response = self.first(language, admitted)
        response.status = .unauthorized
        // What this device has seen goes; what it has not sent yet stays.
        response.set("Clear-Site-Data", "\"cache\"")
        return response
      }
      return self.problem(refusal, language)
    }
  }

  /// Sends the command of a form, and leads to the page that the form names.
  func send(
    _ method: Method, _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Refusal) -> Response {
    _ = try ContentType.check(head, "application/x-www-form-urlencoded") { $0 == .form }
    let body = try await BodyReader.collect(request, head, context, limit: Self.largestForm)
    let form = Query(String(decoding: body, as: UTF8.self))
    guard let credential = admitted.credential else { throw Refusal(401, Token.unknown) }
    guard !admitted.needsFormToken || self.parts.forms.isValid(form["form"] ?? "", for: credential.digest) else {
      throw Refusal(
        403,
        Failure(.permissionDenied, "OTHER_SITE", "This form is not one of kith-web, or too old. Open the page again."))
    }
    let language = head.language
    do throws(Failure) {
      guard form.isWhole else {
        throw Failure(
          .invalidArgument, "FORM_TOO_LONG",
          "This form has more than \(Query.most) fields, or text that is not UTF-8. Nothing was changed: choose less at once."
        )
      }
      let message = try FormMessage(form.pairs, zone: try await self.parts.household.zone(as: credential))
      var command = ForwardedCommand(method: method, encoding: .json, body: Array(message.json.utf8))
      command.token = credential.token
      command.idempotencyKey = try Self.key(form["key"])
      let answer = try await self.parts.link.forward(command)
      guard answer.status.code == .ok else { throw Failure(status: answer.status) }
      if let reply = try Self.shown(method, answer.body) {
        let view = try await self.view(for: credential, language)
        return Response.page(self.framed(reply(view), view))
      }
    } catch {
      return self.problem(self.parts.refusal(error, admitted), language)
    }
    return Response(status: .seeOther, headers: [.location: Self.path(form["next"])])
  }

  /// How a reply is shown that is more than "done"; nil for all others.
  private static func shown(_ method: Method, _ json: [UInt8]) throws(Failure) -> ((PageView) -> Shown)? {
    do {
      switch method {
      case Methods.devicesInvite:
        let invitation = try Invitation(jsonUTF8Data: Data(json))
        return { InvitationPage(invitation).show($0) }
      case Methods.systemBackup, Methods.callsExport:
        let blob = try BlobRef(jsonUTF8Data: Data(json))
        return { FilePage(blob, of: method == Methods.callsExport ? "calls" : "kith").show($0) }
      default: return nil
      }
    } catch {
      throw .bug("a reply of \(method.name) that is none")
    }
  }

  private func framed(_ shown: Shown, _ view: PageView, at position: String = "") -> HTML {
    Frame(view, style: HTML(stringLiteral: PageStyle.text), scripts: FileRoute.scripts).html(shown, at: position)
  }

  /// For whom a page or a finding is written.
  func view(for credential: Credential, _ language: PageLanguage) async throws(Failure) -> PageView {
    let device = try await self.parts.devices.find(credential)
    return PageView(
      language: language, zone: try await self.parts.household.zone(as: credential), now: WallClock.nanoseconds(),
      device: device.name, role: Role(rawValue: device.role) ?? .viewer,
      forms: PageView.Forms(code: self.parts.forms.code(for: credential.digest)) { UUID().uuidString.lowercased() })
  }

  private func first(_ language: PageLanguage, _ admitted: Admission.Admitted) -> Response {
    var response = Response.page(DoorPages(language).home(admitted.caller.way))
    response.set("Vary", "Accept-Language")
    response.forgetPages()
    return response
  }

  /// A page that says why something failed, and leads back.
  private func problem(_ refusal: Refusal, _ language: PageLanguage) -> Response {
    let page = DoorPages(language).problem(refusal.failure)
    var response = Response.page(page, status: HTTPResponse.Status(code: refusal.status))
    for (name, value) in refusal.fields where name == "Retry-After" { response.set(name, value) }
    return response
  }

  private static func key(_ text: String?) throws(Failure) -> String {
    do throws(Refusal) {
      return try text.map { text throws(Refusal) in try IdempotencyKey(text).text } ?? ""
    } catch {
      throw error.failure
    }
  }

  /// A path of this site; never one of another.
  private static func path(_ text: String?) -> String {
    guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), !text.hasPrefix("/\\"), text.utf8.count <= 512,
      text.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
    else { return "/" }
    return text
  }
}
