internal import Bus
internal import CivilTime
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithClient
internal import KithMessages
internal import Pages
internal import WebRules

/// The family's pages, and the forms in them.
struct PageRoutes: Sendable {
  private static let largestForm = 64 << 10

  let parts: DoorParts

  /// Shows a page. A device that has not joined gets the door's own first page.
  func page(
    _ address: PageAddress, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async -> Response {
    let language = PageLanguage(accepted: head.field("accept-language"))
    guard let credential = admitted.credential else {
      return self.first(.nobody, language, admitted, context)
    }
    do throws(Failure) {
      let view = try await self.view(for: credential, language)
      let page = address.page(path: head.path) { head.query[$0] }
      // Asked before the hub is: what changes from here on may be missing on the page.
      let vector = self.parts.fan.vector
      let shown = try await page.show(view, DevicePort(link: self.parts.link, token: credential.token))
      var response = Response.page(Frame(view).html(shown, at: vector?.only(shown.streams).text ?? ""), context)
      response.set("Vary", "Accept-Language")
      return response
    } catch {
      let refusal = self.parts.refusal(error, admitted)
      guard error.code != .unauthenticated else {
        var response = self.first(.nobody, language, admitted, context)
        response.status = .unauthorized
        // What this device has seen goes; what it has not sent yet stays.
        response.set("Clear-Site-Data", "\"cache\"")
        return response
      }
      return self.problem(refusal, language, admitted, context)
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
    let language = PageLanguage(accepted: head.field("accept-language"))
    do throws(Failure) {
      let message = try FormMessage(form.pairs, zone: try await self.parts.household.zone(as: credential))
      var command = ForwardedCommand(method: method, encoding: .json, body: Array(message.json.utf8))
      command.token = credential.token
      command.idempotencyKey = try Self.key(form["key"])
      let answer = try await self.parts.link.forward(command)
      guard answer.status.code == .ok else { throw Failure(status: answer.status) }
    } catch {
      return self.problem(self.parts.refusal(error, admitted), language, admitted, context)
    }
    return Response(status: .seeOther, headers: [.location: Self.path(form["next"])])
  }

  private func view(for credential: Credential, _ language: PageLanguage) async throws(Failure) -> PageView {
    let device = try await self.parts.devices.find(credential)
    return PageView(
      language: language, zone: try await self.parts.household.zone(as: credential), now: WallClock.nanoseconds(),
      device: device.name, role: Role(rawValue: device.role) ?? .viewer,
      forms: PageView.Forms(code: self.parts.forms.code(for: credential.digest)) { UUID().uuidString.lowercased() })
  }

  private func first(
    _ reader: DoorPages.Reader, _ language: PageLanguage, _ admitted: Admission.Admitted, _ context: WebContext
  ) -> Response {
    let code = self.parts.forms.code(for: admitted.credential?.digest ?? "")
    var response = Response.page(DoorPages(language).home(reader, admitted.caller.way, formCode: code), context)
    response.set("Vary", "Accept-Language")
    return response
  }

  /// A page that says why something failed, and leads back.
  private func problem(
    _ refusal: Refusal, _ language: PageLanguage, _ admitted: Admission.Admitted, _ context: WebContext
  ) -> Response {
    let page = DoorPages(language).problem(refusal.failure.status)
    var response = Response.page(page, status: HTTPResponse.Status(code: refusal.status), context)
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

/// The hub, asked as a device.
private struct DevicePort: Bus.Port {
  let link: HubLink
  let token: String

  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    var context = context
    context.token = self.token
    return try await self.link.call(command, context)
  }
}
