internal import Bus
internal import Digest
internal import EventLoop
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import Logging
internal import Pages
internal import WebRules

/// `/pair` and `/leave`: how a device joins, and how it leaves.
struct PairingRoutes: Sendable {
  private static let largestBody = 16 << 10
  private static let accepted = "application/json, application/x-www-form-urlencoded"

  let parts: DoorParts
  let logger: Logger

  // MARK: - Joining

  /// The page with the form.
  func page(_ head: RequestHead, _ admitted: Admission.Admitted) -> Response {
    self.page(head, admitted, fault: "", status: 200)
  }

  /// Lets a device join by its code.
  func pair(
    _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Refusal) -> Response {
    let type = try ContentType.check(head, Self.accepted) { $0 == .json || $0 == .form }
    let body = try await BodyReader.collect(request, head, context, limit: Self.largestBody)
    guard type == .form else {
      let asked = try Self.json(body)
      let (device, token) = try await self.join(asked.code, asked.token, head, admitted)
      let json = "{\"name\":\(JSONText.quoted(device.name)),\"role\":\(JSONText.quoted(device.role))}"
      var response = Response.bytes(json.utf8, "application/json")
      response.setCookie(SessionCookie.set(token, day: Today.day, admitted.caller.way))
      return response
    }
    let form = Query(String(decoding: body, as: UTF8.self))
    let way = admitted.caller.way
    if admitted.needsFormToken {
      guard let seed = FormToken.seed(in: head, way), self.parts.forms.isValid(form["form"] ?? "", for: seed) else {
        let words = DoorPages(head.language)
        return self.page(head, admitted, fault: words.formExpired, status: 403)
      }
    }
    do throws(Refusal) {
      let (_, token) = try await self.join(form["code"] ?? "", nil, head, admitted)
      var response = Response(status: .seeOther, headers: [.location: "/"])
      response.setCookie(SessionCookie.set(token, day: Today.day, way))
      return response
    } catch {
      return self.page(head, admitted, fault: error.read(in: head.language).failure.message, status: error.status)
    }
  }

  private func page(_ head: RequestHead, _ admitted: Admission.Admitted, fault: String, status: Int) -> Response {
    let way = admitted.caller.way
    let known = FormToken.seed(in: head, way)
    let seed = known ?? FormToken.seed()
    let pages = DoorPages(head.language)
    var response = Response.page(
      pages.pair(formCode: self.parts.forms.code(for: seed), fault: fault, way),
      status: HTTPResponse.Status(code: status))
    response.set("Vary", "Accept-Language")
    response.forgetPages()
    if known == nil { response.setCookie(FormToken.cookie(seed, way)) }
    return response
  }

  private static func json(_ body: [UInt8]) throws(Refusal) -> (code: String, token: String?) {
    guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
      let code = object["code"] as? String, object["token"] == nil || object["token"] is String
    else {
      throw Refusal(400, .invalid(field: "code", #"is missing. Send {"code": "12345678"}."#))
    }
    return (code, object["token"] as? String)
  }

  /// Pairs as this program itself: the device is nobody yet. The hub is told the digest of its token alone.
  private func join(
    _ code: String, _ chosen: String?, _ head: RequestHead, _ admitted: Admission.Admitted
  ) async throws(Refusal) -> (device: Device, token: String) {
    try self.parts.addresses.withLock { addresses throws(Refusal) in
      try addresses.pair(from: admitted.caller.address, now: .now)
    }
    if let chosen, !Token.isValid(chosen) {
      throw Refusal(400, .invalid(field: "token", "has to be kith_ and 43 characters of base64url: 32 random bytes."))
    }
    let digits = code.filter { !$0.isWhitespace && $0 != "-" }
    // A browser that sends its form again, because the answer was lost, gets the same token.
    let seed = FormToken.seed(in: head, admitted.caller.way)
    let token = chosen ?? seed.map { self.parts.forms.deviceToken(for: $0, code: digits) } ?? Token.make()
    var pairing = PairDeviceRequest()
    pairing.code = digits
    pairing.tokenSha256 = Token.digest(token)
    pairing.unencrypted = admitted.caller.way == .plain
    let device: Device
    do throws(Failure) {
      let asked = "pair \(digits) \(pairing.tokenSha256) \(pairing.unencrypted)"
      let key = Hex.encode(SHA256.digest(Array(asked.utf8)))
      device = try await self.parts.link.call(
        pairing, CallContext(idempotencyKey: key, timeout: .seconds(20))
      ).reply
      // The answer may be that of an earlier request, and the device revoked since.
      _ = try await self.parts.link.call(WhoamiRequest(), token: token)
    } catch {
      throw Refusal(error)
    }
    self.logger.info("a device has joined", metadata: ["device": "\(device.name)", "role": "\(device.role)"])
    return (device, token)
  }

  // MARK: - Leaving

  /// Signs a device out.
  func leave(
    _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Refusal) -> Response {
    let body = try await BodyReader.collect(request, head, context, limit: Self.largestBody)
    let isForm = ContentType(of: head) == .form
    let credential = admitted.credential
    if admitted.needsFormToken {
      let code = isForm ? Query(String(decoding: body, as: UTF8.self))["form"] ?? "" : ""
      guard self.parts.forms.isValid(code, for: credential?.digest ?? "") else {
        throw Refusal(
          403,
          Failure(.permissionDenied, "OTHER_SITE", "This form is not one of kith-web, or too old. Open the page again.")
        )
      }
    }
    do throws(Failure) {
      _ = try await self.parts.link.call(LeaveRequest(), token: credential?.token ?? "")
    } catch {
      // One that is unknown has left already.
      guard error.code == .unauthenticated else { throw self.parts.refusal(error, admitted) }
    }
    if let credential { self.parts.devices.forget(credential.digest) }
    var response =
      isForm
      ? Response(status: .seeOther, headers: [.location: "/"])
      : Response.bytes("{}".utf8, "application/json")
    response.setCookie(SessionCookie.cleared(admitted.caller.way))
    return response
  }
}

/// The present day.
enum Today {
  /// Counted from 1970.
  static var day: Int { Int(Date().timeIntervalSince1970 / 86_400) }
}
