import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import Testing
import Transfer

@testable import Delivery

@Suite struct WebMessageTests {
  static let id = "0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10"

  static func notice(_ title: String = "介護記録", _ texts: [String] = ["記録を入力してください。"]) -> Notice {
    var notice = Notice()
    notice.kind = "daily_reminder"
    notice.title = title
    notice.texts = texts
    notice.createdAt = .init(seconds: 1_795_186_800)
    return notice
  }

  static func body(_ request: HTTPRequest) -> String? {
    guard case .bytes(let bytes)? = request.body else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `ntfy is told by headers`() throws {
    var channel = NtfyChannel()
    channel.address = "https://ntfy.example.org/"
    channel.topic = "care"
    channel.tags = ["pill", "house"]
    let request = try NtfyMessage(id: Self.id, channel: channel, notice: Self.notice()).request(secret: "tk_x")
    #expect(request.method == "POST")
    #expect(request.url.description == "https://ntfy.example.org/care")
    #expect(
      request.headers.fields.map { "\($0.name): \($0.value)" } == [
        "Content-Type: text/plain; charset=utf-8", "Title: =?UTF-8?B?5LuL6K236KiY6Yyy?=", "Priority: 3",
        "Tags: pill,house", "X-Message-Id: \(Self.id)",
      ])
    #expect(Self.body(request) == "記録を入力してください。")
    #expect(request.credentials == .bearer(token: "tk_x"))
    channel.username = "ann"
    let other = try NtfyMessage(id: Self.id, channel: channel, notice: Self.notice("Call Ann", [""])).request(
      secret: "p")
    #expect(other.credentials == .basic(username: "ann", password: "p"))
    #expect(other.headers["Title"] == nil)
    #expect(Self.body(other) == "Call Ann")
  }

  @Test func `LINE gets one push with a key`() throws {
    var channel = LineChannel()
    channel.to = "U0123"
    let request = try LineMessage(id: Self.id, channel: channel, notice: Self.notice("a/b", ["\"x\"\n", "y"]))
      .request(secret: "t")
    #expect(request.url.description == "https://api.line.me/v2/bot/message/push")
    #expect(request.headers["X-Line-Retry-Key"] == Self.id)
    #expect(
      Self.body(request)
        == #"{"messages":[{"text":"a/b\n\"x\"\n","type":"text"},{"text":"y","type":"text"}],"notificationDisabled":false,"to":"U0123"}"#
    )
  }

  @Test func `a webhook gets JSON, and its secret where it belongs`() throws {
    var channel = WebhookChannel()
    channel.address = "https://hooks.example.org/a"
    var request = try WebhookMessage(id: Self.id, channel: channel, notice: Self.notice("t", ["x"])).request(
      secret: "s")
    #expect(request.credentials == .bearer(token: "s"))
    #expect(
      Self.body(request)
        == #"{"created_at":1795186800,"id":"\#(Self.id)","kind":"daily_reminder","text":"x","title":"t"}"#)
    channel.address = "https://hooks.example.org/{secret}/b"
    request = try WebhookMessage(id: Self.id, channel: channel, notice: Self.notice()).request(secret: "s")
    #expect(request.url.description == "https://hooks.example.org/s/b")
    #expect(request.credentials == nil)
  }

  @Test func `a summary says its own title`() {
    var notice = Self.notice("【介護記録】", ["【介護記録】\n07:42 服薬"])
    notice.kind = "care_summary"
    #expect(notice.plainTexts == ["【介護記録】\n07:42 服薬"])
    #expect(Self.notice("Call Ann", [""]).plainTexts == ["Call Ann"])
    #expect(Self.notice("Call Ann", ["about tea"]).plainTexts == ["Call Ann\nabout tea"])
  }

  @Test func `what may have arrived says so, and what is for good is not tried again`() throws {
    let origin = try WebURL("https://a.example").origin
    let rows: [(DeliveryFault, reason: String, isTransient: Bool, isUnclear: Bool)] = [
      (.transfer(.refused(origin)), "CHANNEL_UNREACHABLE", true, false),
      (.transfer(.timeout(.connect, origin)), "CHANNEL_UNREACHABLE", true, false),
      (.transfer(.timeout(.total, origin)), "CHANNEL_UNCLEAR", true, true),
      (.transfer(.connectionLost("", origin)), "CHANNEL_UNCLEAR", true, true),
      (.transfer(.tls(.untrusted, origin)), "CHANNEL_NOT_TRUSTED", false, false),
      (.secretMissing, "CHANNEL_SECRET_MISSING", false, false),
      (.loginRefused("535"), "CHANNEL_LOGIN_REFUSED", false, false),
      (.notEncrypted("m"), "CHANNEL_NOT_ENCRYPTED", false, false), (.refused("554"), "CHANNEL_REFUSED", false, false),
      (.tooMuch(retryAfter: 5000), "CHANNEL_TOO_MUCH", true, false),
      (.trouble("452", retryAfter: nil), "CHANNEL_TROUBLE", true, false),
      (.unavailable("no"), "CHANNEL_UNAVAILABLE", false, false), (.unclear("gone."), "CHANNEL_UNCLEAR", true, true),
    ]
    for row in rows {
      let failure = row.0.failure(on: "phone")
      #expect(failure.reason == row.reason)
      #expect(failure.isTransient == row.isTransient, "\(failure)")
      #expect((failure.status.details["outcome"] == "unknown") == row.isUnclear, "\(failure)")
    }
    #expect(DeliveryFault.tooMuch(retryAfter: 5000).failure(on: "phone").status.retryAfterMs == 5000)
    #expect(!DeliveryFault.refused("a\u{1B}[31m\nb").failure(on: "x").message.contains("\u{1B}"))
  }
}
