import Bus
import CareRecorder
import CivilTime
import Foundation
import KithMessages
import Testing

@Suite struct CareSummaryTests {
  static let day = Day(number: 20_492)

  static func record(
    _ time: String, _ category: String, transcript: String = "", memo: String = "", review: String = "none",
    recorder: String = "", state: String = "transcribed", id: String = ""
  ) throws -> CareRecord {
    var record = CareRecord()
    record.id = id
    record.category = category
    let date = try Date(time.contains("T") ? time : "2026-02-08T\(time)+09:00", strategy: .iso8601)
    record.occurredAt = .init(nanosecondsSince1970: Int64(date.timeIntervalSince1970) * 1_000_000_000)
    record.transcript = transcript
    record.memo = memo
    record.review = review
    record.recorder = recorder
    record.state = state
    return record
  }

  static func summary(_ records: [CareRecord], _ language: CareLanguage, zone: String = "Asia/Tokyo") throws
    -> CareSummary
  {
    CareSummary(
      of: records, on: self.day, zone: try #require(Zone(named: zone)), language: language, recipient: "森 春子",
      honorific: "さん")
  }

  static func aDay() throws -> [CareRecord] {
    [
      try record("20:15:00", "free_memo", transcript: "よく眠れない", review: "needed", recorder: "次男"),
      try record("08:00:30", "medication", transcript: "朝の薬を飲んだ", review: "done", recorder: "長女"),
      try record("08:00:10", "meal", transcript: "粥を半分", memo: "水100ml", review: "needed", recorder: "長女"),
      try record("2026-02-08T00:00:00+09:00", "toileting", recorder: "次男"),
      try record("2026-02-09T00:00:00+09:00", "meal", memo: "翌日"),
      try record("2026-02-07T23:59:59+09:00", "meal", memo: "前日"),
      try record("15:30:00", "medical_visit", memo: "歯科", recorder: "次男"),
      try record("16:00:00", "medication", state: "pending_transcription"),
    ]
  }

  @Test func writesADayInJapanese() throws {
    let summary = try Self.summary(Self.aDay(), .japanese)
    #expect(
      summary.text == """
        【介護記録】2026年2月8日(日)
        対象: 森 春子 さん
        記録者: 次男、長女

        ■ 時系列
        00:00 排泄 (内容未入力)
        08:00 食事 粥を半分(メモ: 水100ml)(要確認)
        08:00 服薬 朝の薬を飲んだ
        15:30 通院 歯科
        16:00 服薬 (文字起こし待ち)
        20:15 自由メモ よく眠れない(要確認)

        ■ 分類別の件数
        服薬 2件 / 食事 1件 / 排泄 1件 / 通院 1件 / 自由メモ 1件
        合計 6件

        ■ 自由メモ
        ・08:00 水100ml
        ・15:30 歯科
        ・20:15 よく眠れない(要確認)

        ※ 「要確認」は自動文字起こしのままです。薬の名前と量は必ずご確認ください。

        """)
    #expect(summary.count == 6)
    #expect(summary.unreviewed == 2)
  }

  @Test func writesADayInEnglish() throws {
    let text = try Self.summary(Self.aDay(), .english).text
    #expect(text.hasPrefix("[Care log] Sun 8 February 2026\nFor: 森 春子\nRecorded by: 次男, 長女\n\nTimeline\n"))
    #expect(text.contains("\n08:00 Meal: 粥を半分 (memo: 水100ml) (please check)\n"))
    #expect(text.contains("\nMedication: 2, Meal: 1, Toileting: 1, Medical visit: 1, Free memo: 1\nTotal: 6\n"))
    #expect(text.contains("\n- 15:30 歯科\n"))
    #expect(text.hasSuffix("Always confirm medicine names and amounts.\n"))
  }

  @Test func saysThatADayIsEmpty() throws {
    let text = CareSummary(of: [], on: Self.day, zone: try #require(Zone(named: "UTC")), language: .english).text
    #expect(
      text == """
        [Care log] Sun 8 February 2026

        Timeline
        No entries

        Counts
        Medication: 0, Meal: 0, Toileting: 0, Medical visit: 0, Free memo: 0
        Total: 0

        Free memos
        None

        """)
  }

  @Test func isShortWithoutTheListOfMemosThatTheTimelineHas() throws {
    let record = try Self.record("09:00:00", "meal", memo: "half of the rice")
    let summary = CareSummary(
      of: [record], on: Self.day, zone: try #require(Zone(named: "UTC")), language: .english)
    let (long, short) = (summary.text, summary.text(isShort: true))
    #expect(long.contains("Free memos") && long.hasPrefix(short.dropLast()))
    #expect(short.contains("half of the rice") && !short.contains("Free memos"))
  }

  @Test func keepsEachEntryOnOneLine() throws {
    let record = try Self.record("09:00:00", "meal", transcript: "a\r\n\u{2028}b \t c\u{200B}\u{7}", memo: "e\u{301}")
    #expect(try Self.summary([record], .english).text.contains("\n09:00 Meal: a b c (memo: é)\n"))
  }

  @Test func ordersEntriesOfOneInstantByTheirIds() throws {
    let records = try ["b", "c", "a"].map { try Self.record("09:00:00", "meal", memo: "memo \($0)", id: $0) }
    let lines = try Self.summary(records, .english).text.split(separator: "\n").filter { $0.hasPrefix("09:00") }
    #expect(lines == ["09:00 Meal: memo a", "09:00 Meal: memo b", "09:00 Meal: memo c"])
  }

  @Test func leavesOutWhatWasDeleted() throws {
    var record = try Self.record("09:00:00", "meal", memo: "gone")
    record.deletedAt = .init(nanosecondsSince1970: 1)
    #expect(try Self.summary([record], .english).count == 0)
  }

  /// On the day when clocks are set back, 01:30 occurs twice.
  @Test func saysTheOffsetWhereItChanges() throws {
    let records = [
      try Self.record("2026-11-01T01:30:00-04:00", "meal", memo: "first"),
      try Self.record("2026-11-01T01:30:00-05:00", "meal", memo: "second"),
    ]
    let text = CareSummary(
      of: records, on: try #require(Day("2026-11-01")), zone: try #require(Zone(named: "America/New_York")),
      language: .english
    ).text
    #expect(text.contains("\n01:30(-0400) Meal: first\n01:30(-0500) Meal: second\n"))
  }
}
