import Foundation
import KithMessages
import TestKit
import Testing
import Transfer

@testable import Delivery

@Suite struct MailMessageTests {
  static func message(
    title: String = "Care log", texts: [String] = ["one\ntwo"], to: [String] = ["ann@example.org"]
  ) -> MailMessage {
    var channel = MailChannel()
    channel.host = "mail.example.org"
    channel.from = "kith@example.org"
    channel.to = to
    var notice = Notice()
    notice.title = title
    notice.texts = texts
    notice.date = "Fri, 20 Nov 2026 21:00:00 +0900"
    return MailMessage(id: "0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10", channel, notice)
  }

  static func text(_ message: MailMessage) -> String { String(decoding: message.bytes, as: UTF8.self) }

  @Test func `a mail is these bytes`() {
    let lines = [
      "Date: Fri, 20 Nov 2026 21:00:00 +0900", "From: kith@example.org", "To: ann@example.org,", " bob@example.org",
      "Message-ID: <0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10@example.org>", "Subject: Care log", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "Auto-Submitted: auto-generated",
      "", "b25lDQp0d28NCg==", "",
    ]
    #expect(
      Self.text(Self.message(to: ["ann@example.org", "bob@example.org"])) == lines.joined(separator: "\r\n"))
  }

  @Test func `a title cannot bring a second line along`() {
    let text = Self.text(Self.message(title: "Care\r\nBcc: eve@example.org\u{85}\u{2028}x"))
    #expect(text.contains("\r\nSubject: Care Bcc: eve@example.org x\r\n"))
    #expect(!text.contains("\r\nBcc"))
  }

  @Test func `a subject that is not ASCII is words of RFC 2047`() throws {
    let title = "【介護記録】2026年11月20日(金)"
    let text = Self.text(Self.message(title: title))
    let head = try #require(text.components(separatedBy: "\r\n\r\n").first)
    #expect(head.utf8.allSatisfy { $0 < 0x80 })
    let subject = try #require(
      head.components(separatedBy: "\r\nSubject: ").last?.components(separatedBy: "\r\nMIME").first)
    let words = subject.components(separatedBy: "\r\n ")
    #expect(words.allSatisfy { $0.utf8.count <= 75 })
    #expect(Self.decoded(words) == title)
  }

  static func decoded(_ words: [String]) -> String {
    let bytes = words.flatMap { word -> [UInt8] in
      guard word.hasPrefix("=?UTF-8?B?"), word.hasSuffix("?=") else { return Array(word.utf8) }
      return [UInt8](Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) ?? Data())
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: 0..<200) func `words hold any text, each whole characters`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = Array("aé佐👨‍👩‍👧‍👦 ?=🇯🇵\u{301}_z")
    let text = String(
      (0..<Int.random(in: 1...120, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
    let words = EncodedWords.encode(text, separator: "\n").components(separatedBy: "\n")
    #expect(words.count == 1 || words.allSatisfy { $0.utf8.count <= 75 })
    #expect(Self.decoded(words) == text)
    for word in words where word.hasPrefix("=?UTF-8") {
      let bytes = Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) ?? Data()
      #expect(String(validating: bytes, as: UTF8.self) != nil)
    }
  }

  @Test func `long bodies have lines of 76 characters`() throws {
    let text = Self.text(Self.message(texts: [String(repeating: "お茶を飲みました。\n", count: 100)]))
    let body = try #require(text.components(separatedBy: "\r\n\r\n").last)
    let lines = body.components(separatedBy: "\r\n")
    #expect(lines.dropLast(2).allSatisfy { $0.utf8.count == 76 })
    let bytes = try #require(Data(base64Encoded: lines.joined()))
    #expect(String(decoding: bytes, as: UTF8.self) == String(repeating: "お茶を飲みました。\r\n", count: 100))
  }

  @Test func `mail goes in the clear to this machine alone`() {
    #expect(throws: Never.self) { try MailServer(host: "127.0.0.1", port: 25, security: .none) }
    #expect(throws: TransferError.self) { try MailServer(host: "mail.example.org", security: .none) }
    for host in ["", "a b", "a/b", "a\r\nb", "a@b", "[::1"] {
      #expect(throws: TransferError.self) { try MailServer(host: host) }
    }
    #expect((try? MailServer(host: "Mail.Example.org"))?.origin.port == 587)
    #expect((try? MailServer(host: "[::1]", security: .tls))?.origin.port == 465)
  }
}
