import Bus
import CareRecorder
import CivilTime
import Foundation
import KithMessages
import TestKit
import Testing

/// Summaries written by other programs by the same rules, if they are installed.
@Suite(.enabled(if: goldenFolder != nil, "there is no folder of golden summaries beside the project"))
struct GoldenSummaryTests {
  private struct Entry: Decodable {
    let id, category, occurredAt, createdAt: String
    let transcript, memo, recorder, review: String?

    var record: CareRecord {
      get throws {
        var record = CareRecord()
        record.id = self.id
        record.category = self.category
        for (path, text) in [(\CareRecord.occurredAt, self.occurredAt), (\CareRecord.createdAt, self.createdAt)] {
          let seconds = try Date(text, strategy: .iso8601).timeIntervalSince1970
          record[keyPath: path] = .init(nanosecondsSince1970: Int64(seconds) * 1_000_000_000)
        }
        record.transcript = self.transcript ?? ""
        record.memo = self.memo ?? ""
        record.recorder = self.recorder ?? ""
        record.review = self.review ?? "none"
        return record
      }
    }
  }

  @Test(arguments: CareLanguage.allCases, ["", "empty."]) func equals(language: CareLanguage, kind: String) throws {
    let folder = try #require(goldenFolder)
    let code = language.rawValue
    let golden = try String(contentsOf: folder.appending(path: "golden.\(kind)\(code).txt"), encoding: .utf8)
    let entries = try JSONDecoder().decode(
      [Entry].self, from: Data(contentsOf: folder.appending(path: "entries.\(code).json")))
    let summary = CareSummary(
      of: kind.isEmpty ? try entries.map { try $0.record } : [], on: try #require(Day("2026-11-20")),
      zone: try #require(Zone(named: "Asia/Tokyo")), language: language,
      recipient: language == .japanese ? "佐藤花子" : "Hanako Sato", honorific: "様")
    #expect(summary.text == golden)
  }
}

private let goldenFolder = TestData.folder("care")
