import Bus
import Digest
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaGateway

@Suite(.timeLimit(.minutes(2))) struct CallCommandTests {
  private func expect(_ reason: String, _ work: () async throws -> Void, _ line: Int = #line) async {
    let failure = await refusal(work)
    #expect(failure?.reason == reason, "line \(line)")
  }

  // MARK: - Recording

  @Test("a call is logged, by a template where one is named, and quickly")
  func logging() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    _ = try await home.ask(
      SaveCallTemplateRequest.with {
        $0.template.name = "Weekly"
        $0.template.durationMinutes = 30
        $0.template.tags = ["family"]
      })
    let call = try await home.ask(
      LogCallRequest.with {
        $0.record.personID = ann.id
        $0.record.emotion = "happy"
        $0.template = "weekly"
      })
    #expect(call.durationMinutes == 30 && call.emotion == "happy" && call.tags == ["family"])
    #expect(call.calledAt.nanosecondsSince1970 == home.now && call.personName == "Ann" && !call.isRunning)
    await self.expect("RECORD_UNKNOWN") {
      _ = try await home.ask(
        LogCallRequest.with {
          $0.record.personID = ann.id
          $0.template = "daily"
        })
    }
    #expect(try await home.ask(ListCallTemplatesRequest()).templates.map(\.name) == ["Weekly"])
    #expect(try await home.ask(DeleteCallTemplateRequest.with { $0.name = "Weekly" }).durationMinutes == 30)
    await self.expect("RECORD_UNKNOWN") {
      _ = try await home.ask(DeleteCallTemplateRequest.with { $0.name = "Weekly" })
    }
    let quick = try await home.ask(
      QuickCallRequest.with {
        $0.personID = ann.id
        $0.durationMinutes = 10
      })
    #expect(quick.calledAt.nanosecondsSince1970 == home.now - 600_000_000_000)
    for minutes in [1441, .max] as [UInt32] {
      await self.expect("FIELD_INVALID") {
        _ = try await home.ask(
          QuickCallRequest.with {
            $0.personID = ann.id
            $0.durationMinutes = minutes
          })
      }
    }
    let changed = try await home.ask(
      UpdateCallRequest.with {
        $0.record.id = call.id
        $0.record.note = "news"
        $0.fields = ["note", "tags"]
      })
    #expect(changed.note == "news" && changed.tags.isEmpty && changed.durationMinutes == 30)
  }

  @Test("a timer goes on over a restart and is not sent before it is stopped")
  func timer() async throws {
    let directory = try TemporaryDirectory()
    var home = try Household(in: directory)
    let (ann, bob) = (try await home.person("Ann"), try await home.person("Bob"))
    await self.expect("CALL_NOT_RUNNING") { _ = try await home.ask(StopCallRequest()) }
    let call = try await home.ask(
      StartCallRequest.with {
        $0.personID = ann.id
        $0.theyCalled = true
      })
    #expect(call.isRunning)
    await self.expect("CALL_RUNNING") { _ = try await home.ask(StartCallRequest.with { $0.personID = ann.id }) }
    try await home.storage.read { view throws(Failure) in
      #expect(try view.outbox.due(now: .max / 2, limit: 10).allSatisfy { $0.kind == .person })
    }
    await home.storage.close()
    home = try Household(in: directory)
    try await home.logIn()
    home.pass(minutes: 12)
    let other = try await home.ask(StartCallRequest.with { $0.personID = bob.id })
    await self.expect("CALL_RUNNING") { _ = try await home.ask(StopCallRequest()) }
    home.pass(minutes: 1)
    let stopped = try await home.ask(
      StopCallRequest.with {
        $0.id = call.id
        $0.note = " long "
        $0.tags = ["family"]
      })
    #expect(stopped.durationMinutes == 13 && stopped.note == "long" && stopped.tags == ["family"])
    #expect(!stopped.isRunning && stopped.theyCalled)
    let last = try await home.ask(StopCallRequest())
    #expect(last.id == other.id && last.durationMinutes == 1)
    await self.expect("CALL_NOT_RUNNING") { _ = try await home.ask(StopCallRequest.with { $0.id = call.id }) }
    #expect(try await home.ask(QueueRequest()).entries.filter { $0.kind == "call" }.count == 2)
    await home.storage.close()
  }

  @Test("a call that is said to have begun before clocks could tell is stopped all the same")
  func timerOfOldCall() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    let call = try await home.ask(StartCallRequest.with { $0.personID = ann.id })
    _ = try await home.ask(
      UpdateCallRequest.with {
        $0.record.id = call.id
        $0.record.calledAt = try moment("0001-01-01T00:00:00Z")
      })
    #expect(try await home.ask(StopCallRequest()).durationMinutes > 1440)
    let blob = try await home.ask(
      ExportCallsRequest.with {
        $0.format = "csv"
        $0.filter.to = .init(seconds: -62_135_596_800)
      })
    #expect(try await home.bytes(of: blob).count > 0)
  }

  @Test("several are deleted together or not at all, and each can be brought back")
  func deletion() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    var calls: [Call] = []
    for ago in 0..<4 as Range<Int64> { calls.append(try await home.call(ann, ago: ago)) }
    await self.expect("RECORD_UNKNOWN") {
      _ = try await home.ask(BulkDeleteCallsRequest.with { $0.ids = [calls[0].id, "x", calls[1].id] })
    }
    #expect(try await home.ask(ListCallsRequest()).calls.count == 4)
    await self.expect("FIELD_INVALID") { _ = try await home.ask(BulkDeleteCallsRequest()) }
    let reply = try await home.ask(
      BulkDeleteCallsRequest.with { $0.ids = [calls[0].id, calls[1].id, calls[0].id] })
    #expect(reply.ids == [calls[0].id, calls[1].id])
    _ = try await home.ask(DeleteCallRequest.with { $0.id = calls[2].id })
    #expect(try await home.ask(ListCallsRequest()).calls.map(\.id) == [calls[3].id])
    #expect(try await home.ask(ListCallsRequest.with { $0.includeDeleted = true }).calls.count == 4)
    let restored = try await home.ask(RestoreCallRequest.with { $0.id = calls[0].id })
    #expect(!restored.hasDeletedAt)
    #expect(try await home.ask(ListCallsRequest()).calls.map(\.id) == [calls[0].id, calls[3].id])
  }

  // MARK: - Reading

  @Test("filters go together")
  func filters() async throws {
    let home = try Household()
    let (ann, bob) = (try await home.person("Ann"), try await home.person("Bob"))
    _ = try await home.call(ann, ago: 1) { $0.emotion = "happy" }
    _ = try await home.call(ann, ago: 10) { $0.tags = ["garden"] }
    _ = try await home.call(bob, ago: 3) { $0.emotion = "happy" }
    func ids(_ edit: (inout CallFilter) -> Void) async throws -> [String] {
      var filter = CallFilter()
      edit(&filter)
      return try await home.ask(ListCallsRequest.with { [filter] in $0.filter = filter }).calls.map(\.personName)
    }
    #expect(try await ids { _ in } == ["Ann", "Bob", "Ann"])
    #expect(try await ids { $0.emotion = "happy" } == ["Ann", "Bob"])
    #expect(try await ids { $0.personID = ann.id } == ["Ann", "Ann"])
    #expect(try await ids { $0.tag = "GARDEN" } == ["Ann"])
    #expect(try await ids { $0.syncState = "synced" } == [])
    let week = Google_Protobuf_Timestamp(nanosecondsSince1970: home.now - 7 * 86_400_000_000_000)
    #expect(try await ids { $0.from = week } == ["Ann", "Bob"])
    #expect(
      try await ids {
        $0.to = week
        $0.personID = bob.id
      } == [])
    let bad: [(inout CallFilter) -> Void] = [
      { $0.emotion = "bored" }, { $0.syncState = "odd" },
      {
        $0.from.seconds = 10
        $0.to.seconds = 5
      },
    ]
    for edit in bad { await self.expect("FIELD_INVALID") { _ = try await ids(edit) } }
  }

  @Test("notes are searched, and what was found is shown")
  func search() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    _ = try await home.call(ann, ago: 1) { $0.note = "We met at the Café and spoke of 旅行" }
    _ = try await home.call(ann, ago: 2) {
      $0.note = "nothing"
      $0.tags = ["cafe"]
    }
    let reply = try await home.ask(SearchCallsRequest.with { $0.text = "CAFE" })
    #expect(reply.hits.count == 2 && !reply.more)
    let hit = reply.hits[0]
    let mark = try #require(hit.marks.first)
    let scalars = Array(hit.excerpt.unicodeScalars)[Int(mark.start)..<Int(mark.start + mark.length)]
    #expect(String(String.UnicodeScalarView(scalars)) == "Café")
    #expect(reply.hits[1].marks.isEmpty && reply.hits[1].excerpt == "nothing")
    #expect(try await home.ask(SearchCallsRequest.with { $0.text = "旅行" }).hits.count == 1)
    await self.expect("FIELD_INVALID") { _ = try await home.ask(SearchCallsRequest()) }
  }

  @Test("the timeline goes on in its groups over pages")
  func timeline() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    for ago in [0, 0, 1, 2, 9] as [Int64] { _ = try await home.call(ann, ago: ago) }
    var request = CallTimelineRequest.with {
      $0.limit = 2
      $0.timeZone = "UTC"
    }
    var titles: [[String]] = []
    repeat {
      let reply = try await home.ask(request)
      titles.append(reply.groups.flatMap { group in group.calls.map { _ in group.title } })
      request.cursor = reply.nextCursor
    } while !request.cursor.isEmpty
    #expect(titles == [["today", "today"], ["yesterday", "this_week"], ["earlier"]])
    await self.expect("FIELD_INVALID") { _ = try await home.ask(CallTimelineRequest.with { $0.timeZone = "Mars" }) }
  }

  @Test("statistics and suggestions come from what is stored")
  func statisticsAndSuggestions() async throws {
    let home = try Household()
    let (ann, bob) = (try await home.person("Ann"), try await home.person("Bob"))
    let dead = try await home.person("Carl")
    for ago in [40, 33, 26] as [Int64] {
      _ = try await home.call(ann, ago: ago, minutes: 10)
      _ = try await home.call(dead, ago: ago)
    }
    _ = try await home.call(bob, ago: 1, minutes: 40) { $0.emotion = "happy" }
    _ = try await home.ask(
      UpdatePersonRequest.with {
        $0.record.id = dead.id
        $0.record.isDead = true
      })
    let stats = try await home.ask(CallStatsRequest.with { $0.timeZone = "UTC" })
    #expect(stats.calls == 7 && stats.minutes == 70 && stats.averageMinutes == 17.5 && stats.emotions == ["happy": 1])
    #expect(stats.people.map(\.personName) == ["Ann", "Carl", "Bob"])
    let own = try await home.ask(CallStatsRequest.with { $0.filter.personID = bob.id })
    #expect(own.calls == 1 && own.people.map(\.personID) == [bob.id])
    let suggestions = try await home.ask(SuggestCallsRequest()).suggestions
    #expect(suggestions.map(\.personName) == ["Ann"])
    #expect(suggestions.map(\.usualDays) == [7] && suggestions.map(\.overdueDays) == [19])
    let most = try await home.ask(SuggestCallsRequest.with { $0.limit = .max }).suggestions
    #expect(most.map(\.personName) == ["Ann"], "more than the most means the most")
  }

  // MARK: - Export

  @Test("all calls are written as CSV and as JSON")
  func export() async throws {
    let home = try Household()
    let ann = try await home.person("=Ann")
    for index in 0..<230 as Range<Int64> {
      _ = try await home.call(ann, ago: index) { $0.note = "note \(index), \"quoted\"" }
    }
    let csv = try await home.ask(
      ExportCallsRequest.with {
        $0.format = "csv"
        $0.timeZone = "Asia/Tokyo"
      })
    let text = String(decoding: try await home.bytes(of: csv), as: UTF8.self)
    #expect(csv.mediaType.hasPrefix("text/csv"))
    #expect(text.components(separatedBy: "\r\n").count == 232)
    #expect(
      text.contains(
        "\"'=Ann\",\"2026-03-06T12:00:00Z\",\"2026-03-06\",\"21:00\",\"\",\"\",\"no\",\"note 0, \"\"quoted\"\"\""))
    #expect((0..<230).allSatisfy { text.contains("note \($0),") })
    let json = try await home.ask(ExportCallsRequest.with { $0.format = "json" })
    let list = try Encoding.json.decode(ListCallsReply.self, from: try await home.bytes(of: json))
    #expect(list.calls.count == 230)
    let none = try await home.ask(
      ExportCallsRequest.with {
        $0.format = "json"
        $0.filter.emotion = "sad"
      })
    #expect(try Encoding.json.decode(ListCallsReply.self, from: try await home.bytes(of: none)).calls.isEmpty)
    for (format, language) in [("xml", ""), ("", ""), ("csv", "de")] {
      await self.expect("FIELD_INVALID") {
        _ = try await home.ask(
          ExportCallsRequest.with {
            $0.format = format
            $0.language = language
          })
      }
    }
  }

  @Test("a report is given to its program, whose answer is the file")
  func report() async throws {
    let directory = try TemporaryDirectory()
    let program = directory.file("kith-report")
    // Replaces the typesetter: returns its input.
    try Data("#!/bin/sh\nexec cat\n".utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let home = try Household(in: directory, reports: program)
    let ann = try await home.person("Ann")
    for ago in [0, 0, 1] as [Int64] { _ = try await home.call(ann, ago: ago, minutes: 5) }
    let pdf = try await home.ask(
      ExportCallsRequest.with {
        $0.format = "pdf"
        $0.timeZone = "Asia/Tokyo"
        $0.language = "ja"
        $0.filter.personID = ann.id
        $0.filter.from = .init(nanosecondsSince1970: home.now - 2 * 86_400_000_000_000)
      })
    #expect(pdf.mediaType == "application/pdf")
    let report = try CallReport(serializedBytes: try await home.bytes(of: pdf))
    #expect(report.language == "ja" && report.timeZone == "Asia/Tokyo" && report.personName == "Ann")
    #expect(report.from == "2026-03-04" && report.to.isEmpty && report.madeOn == "2026-03-06")
    #expect(report.stats.calls == 3 && report.stats.minutes == 15)
    #expect(report.days.map(\.date) == ["2026-03-06", "2026-03-05"] && report.days.map(\.entries.count) == [2, 1])
    #expect(report.days[0].entries[0].time == "21:00")
  }

  @Test("a report without its program, and one that fails, say what to do")
  func failedReport() async throws {
    let directory = try TemporaryDirectory()
    let absent = try Household(in: directory, reports: directory.file("absent"))
    var failure = await refusal { _ = try await absent.ask(ExportCallsRequest.with { $0.format = "pdf" }) }
    #expect(failure?.reason == "PROGRAM_MISSING" && failure?.message.contains("CSV") == true)
    let broken = try TemporaryDirectory()
    let home = try Household(in: broken, reports: "/bin/false")
    failure = await refusal { _ = try await home.ask(ExportCallsRequest.with { $0.format = "pdf" }) }
    #expect(failure?.reason == "REPORT_FAILED")
  }
}
