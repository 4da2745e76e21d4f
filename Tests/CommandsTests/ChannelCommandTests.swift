import Bus
import Digest
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("kith channels, kith care share, and output in two languages")
struct ChannelCommandTests {
  static let text = "[Care log] Fri 20 November 2026\n\nTimeline\nrice & soup, 50 %\n"

  static func summary(_ command: any KithMessages.Command) throws(Failure) -> any Message & Sendable {
    if command is CareSettingsRequest { return CareSettings() }
    guard command is CareSummaryRequest else { throw .bug("not asked for") }
    return CareSummaryReply.with { $0.text = Self.text }
  }

  @Test("Links carry the whole text with any characters")
  func links() async throws {
    let mail = try await CommandRun.of("care", "share", "--mailto", answer: Self.summary)
    #expect(
      mail.output
        == "mailto:?subject=%5BCare%20log%5D%20Fri%2020%20November%202026&body=%5BCare%20log%5D%20Fri%2020%20November%202026"
        + "%0D%0A%0D%0ATimeline%0D%0Arice%20%26%20soup%2C%2050%20%25%0D%0A\n")
    #expect(ShareLinks.line(text: "薬 1\n") == "https://line.me/R/share?text=%E8%96%AC%201%0A")
  }

  @Test("The summary of a long day is downloaded")
  func longDay() async throws {
    let bytes = Array(Self.text.utf8)
    for arguments in [["care", "summary"], ["care", "share"]] {
      let run = try await CommandRun.of(
        arguments[0], arguments[1], attachments: { $0 is BlobGetRequest ? [bytes] : [] }
      ) { command in
        if command is BlobGetRequest { return BlobGetReply() }
        if command is CareSettingsRequest { return CareSettings() }
        return CareSummaryReply.with {
          $0.blob.sha256 = Hex.encode(SHA256.digest(bytes))
          $0.blob.size = UInt64(bytes.count)
        }
      }
      #expect(run.output == Self.text)
    }
  }

  @Test("A day is printed, or sent over the channels that are named")
  func shared() async throws {
    #expect(try await CommandRun.of("care", "share", answer: Self.summary).output == Self.text)
    let run = try await CommandRun.of("care", "share", "--to", "phone", "--to", "family", "--lang", "ja") {
      command throws(Failure) in
      let share = command as? ShareCareRequest
      return ShareCareReply.with { reply in
        reply.deliveries = (share?.channels ?? []).map { name in
          DeliveryEntry.with {
            $0.channel = name
            $0.title = "【介護記録】"
            $0.state = "pending"
            $0.createdAt = Household.ago(0)
            $0.id = "id"
          }
        }
      }
    }
    let sent = try #require(run.sent.first as? ShareCareRequest)
    #expect(sent.language == "ja")
    #expect(run.output.contains("たった今  phone   【介護記録】  待機中  id"))
    #expect(run.output.contains("送り先"))
  }

  @Test("kith asks for a secret if a channel may have one; it is no argument")
  func secrets() async throws {
    let run = try await CommandRun.of("channels", "add", "phone", "--ntfy", "care", "--tag", "pill", typed: "tk_x") {
      _ throws(Failure) in
      Channel.with { $0.name = "phone" }
    }
    let request = try #require(run.sent.first as? AddChannelRequest)
    #expect(request.secret == "tk_x")
    #expect(request.channel.ntfy.topic == "care")
    #expect(request.channel.ntfy.tags == ["pill"])
    #expect(run.output == "Added phone. Try it: kith channels test phone\n")
    let nobody = try await CommandRun.of("channels", "add", "line", "--line", "U1") { _ throws(Failure) in Channel() }
    #expect(nobody.code == 1)
    #expect(nobody.errors.contains("--secret-file"))
    let open = try await CommandRun.of("channels", "add", "phone", "--ntfy", "care") { _ throws(Failure) in Channel() }
    #expect((open.sent.first as? AddChannelRequest)?.secret == "")
  }

  @Test("A test that did not arrive prints the reason, and is exit code 1")
  func failing() async throws {
    let run = try await CommandRun.of("channels", "test", "phone", "--lang", "ja") { _ throws(Failure) in
      TestChannelReply.with {
        $0.delivery.channel = "phone"
        $0.delivery.state = "failed"
        $0.delivery.error = Failure(.unauthenticated, "CHANNEL_LOGIN_REFUSED", "refused").status
      }
    }
    #expect(run.code == 1)
    #expect(run.output.contains("失敗"))
    #expect(run.output.contains("送り先がログインを拒みました。"))
  }

  @Test("Care and reminders have Japanese output and failures")
  func japanese() async throws {
    let empty = try await CommandRun.of("care", "list", "--lang", "ja") { _ throws(Failure) in ListCareReply() }
    #expect(empty.output == "記録はありません。\n")
    let record = CareRecord.with {
      $0.id = "r1"
      $0.category = "medical_visit"
      $0.memo = "内科"
      $0.state = "needs_memo"
      $0.reason = "no_speech"
      $0.occurredAt = Household.ago(7200)
    }
    let card = try await CommandRun.of("care", "show", "r1", "--lang", "ja") { _ throws(Failure) in
      CareReply.with { $0.record = record }
    }
    #expect(card.output.contains("通院"))
    #expect(card.output.contains("(2時間前)"))
    #expect(card.output.contains("メモを書いてください: 声が聞き取れませんでした"))
    let wrong = try await CommandRun.of("care", "record", "walk", "--lang", "ja") { _ throws(Failure) in
      throw .invalid(field: "category", "must be one of ...")
    }
    #expect(wrong.code == 1)
    #expect(
      wrong.errors
        == "kith: <category>: 服薬 (medication)、食事 (meal)、排泄 (toileting)、通院 (medical visit)、自由メモ (free memo) のどれかにしてください。\n"
    )
    let status = try await CommandRun.of("remind", "status", "--lang", "ja") { _ throws(Failure) in
      ReminderStatusReply.with {
        $0.daily.enabled = true
        $0.daily.time = "21:00"
        $0.daily.delivery = "phone"
        $0.daily.deliveries = [
          ReminderDelivery.with {
            $0.channel = "phone"
            $0.state = "delivered"
          }
        ]
      }
    }
    #expect(status.output.contains("毎日のお知らせは 21:00"))
    #expect(status.output.contains("送り先: phone\n  phone: 送信済み"))
    let english = try await CommandRun.of("remind", "list", "--lang", "en") { _ throws(Failure) in ListRemindersReply()
    }
    #expect(english.output == "No reminders.\n")
  }

  @Test("Settings of reminders name the changed and the cleared fields")
  func settings() async throws {
    let run = try await CommandRun.of(
      "remind", "settings", "--daily", "phone", "--daily", "family", "--no-call", "--no-people"
    ) { command throws(Failure) in (command as? ConfigureRemindersRequest)?.settings ?? ReminderSettings() }
    let request = try #require(run.sent.first as? ConfigureRemindersRequest)
    #expect(request.fields == ["daily_channels", "call_channels", "no_person_reminders"])
    #expect(request.settings.dailyChannels == ["phone", "family"])
    #expect(
      run.output.contains("Daily reminder: phone, family\nReminders to call: kith only\nReminders of people: off"))
  }
}
