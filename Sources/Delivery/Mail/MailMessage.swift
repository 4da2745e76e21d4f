internal import Foundation
internal import KithMessages

/// A mail as bytes: RFC 5322 and RFC 2045. The same message gives the same bytes at every attempt.
struct MailMessage {
  private let id: String
  private let channel: MailChannel
  private let notice: Notice

  init(id: String, _ channel: MailChannel, _ notice: Notice) {
    self.id = id
    self.channel = channel
    self.notice = notice
  }

  /// The id by which mail readers recognise duplicates: RFC 5322, 3.6.4.
  var messageID: String {
    let domain = self.channel.from.split(separator: "@").last.map(String.init) ?? "localhost"
    return "<\(self.id)@\(domain)>"
  }

  /// Head and body, lines ended by CR LF.
  var bytes: [UInt8] {
    let head = [
      "Date: \(self.notice.date)",
      "From: \(self.channel.from)",
      "To: \(self.channel.to.joined(separator: ",\r\n "))",
      "Message-ID: \(self.messageID)",
      "Subject: \(EncodedWords.encode(self.notice.subject, separator: "\r\n "))",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      // Suppresses automatic replies: RFC 3834, 5.
      "Auto-Submitted: auto-generated",
    ]
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + self.body).utf8)
  }

  /// Always base64: lines of 76 characters, none of which begins with a dot.
  private var body: String {
    // Lines of text end by CR LF before they are encoded: RFC 2045, 6.8.
    let lines = self.notice.body.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
    let digits = Array(Data((lines.hasSuffix("\r\n") ? lines : lines + "\r\n").utf8).base64EncodedString().utf8)
    var text = ""
    for start in stride(from: 0, to: digits.count, by: 76) {
      text += String(decoding: digits[start..<min(start + 76, digits.count)], as: UTF8.self) + "\r\n"
    }
    return text
  }
}
