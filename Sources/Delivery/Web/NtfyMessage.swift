internal import Foundation
internal import KithMessages
internal import Transfer

/// A message to a topic of ntfy: docs.ntfy.sh/publish.
struct NtfyMessage: WebMessage {
  let id: String
  let channel: NtfyChannel
  let notice: Notice

  func request(secret: String?) throws(TransferError) -> HTTPRequest {
    let base = self.channel.address.isEmpty ? "https://ntfy.sh" : self.channel.address
    let url = try WebURL(base.hasSuffix("/") ? "\(base)\(self.channel.topic)" : "\(base)/\(self.channel.topic)")
    var request = HTTPRequest("POST", url, limits: .message)
    // Declares text; otherwise ntfy may make the body an attachment.
    request.headers.add("Content-Type", "text/plain; charset=utf-8")
    if !self.notice.subject.isEmpty, self.notice.subject != self.notice.body {
      request.headers.add("Title", EncodedWords.encode(self.notice.subject, separator: " "))
    }
    request.headers.add("Priority", String(self.channel.priority == 0 ? 3 : self.channel.priority))
    if !self.channel.tags.isEmpty { request.headers.add("Tags", self.channel.tags.joined(separator: ",")) }
    if !self.notice.link.isEmpty { request.headers.add("Click", self.notice.link) }
    if !self.notice.actions.isEmpty { request.headers.add("Actions", self.notice.actions.ntfy) }
    // ntfy ignores this id; a reader can recognise duplicates by it.
    request.headers.add("X-Message-Id", self.id)
    request.body = .bytes(Array(self.notice.body.utf8))
    if let secret {
      request.credentials =
        self.channel.username.isEmpty
        ? .bearer(token: secret) : .basic(username: self.channel.username, password: secret)
    }
    return request
  }

  func receipt(of response: HTTPResponse) -> String {
    struct Published: Decodable { let id: String }
    return (try? JSONDecoder().decode(Published.self, from: Data(response.body)).id) ?? ""
  }
}

extension [NoticeAction] {
  /// The buttons of a notification, as JSON in ASCII: docs.ntfy.sh/publish, "Send HTTP request". A notification goes away when one was pressed.
  fileprivate var ntfy: String {
    let buttons = self.map { action in
      #"{"action":"http","label":\#(Self.quoted(action.label)),"url":\#(Self.quoted(action.address)),"method":"POST","clear":true}"#
    }
    return "[\(buttons.joined(separator: ","))]"
  }

  /// A text of JSON that fits a header.
  private static func quoted(_ text: String) -> String {
    let units = text.utf16.map { unit -> String in
      let isPlain = (0x20...0x7E).contains(unit) && unit != 0x22 && unit != 0x5C
      let digits = String(unit, radix: 16)
      return isPlain
        ? String(decoding: [unit], as: UTF16.self) : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"\(units.joined())\""
  }
}
