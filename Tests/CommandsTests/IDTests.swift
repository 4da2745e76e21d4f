import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("Ids as people type and read them")
struct IDTests {
  private static let (one, other) = (Household.annID, Household.bobID)

  private static func hub(_ found: [String])
    -> @Sendable (any KithMessages.Command) throws(Failure) -> any Message & Sendable
  {
    { command throws(Failure) in
      switch command {
      case is FindIdsRequest: FindIdsReply.with { $0.ids = found }
      case let shorten as ShortenIdsRequest: ShortenIdsReply.with { $0.ends = shorten.ids.map { String($0.suffix(4)) } }
      case let get as GetCallRequest:
        Call.with { ($0.id, $0.personID, $0.personName, $0.note) = (get.id, Self.one, "Ann", "the garden") }
      case is ListCallsRequest: ListCallsReply.with { $0.calls = [.with { $0.id = Self.one }] }
      default: Household.people(command) ?? Call.with { $0.id = Self.one }
      }
    }
  }

  @Test(
    "The end or the beginning of an id is resolved by kithd, and so is last",
    arguments: ["9d10", "0197F3C2-5B1E", "last"])
  func piece(typed: String) async throws {
    let run = try await CommandRun.of("call", "show", typed, answer: Self.hub([Self.one]))
    let find = try #require(run.sent.first as? FindIdsRequest)
    #expect(find.kind == "call" && find.piece == (typed == "last" ? "" : typed) && !find.deleted)
    #expect(run.sent.contains { ($0 as? GetCallRequest)?.id == Self.one })
  }

  @Test("A whole id, and what is no part of one, go to kithd as they are", arguments: [Household.annID, "c-1", "abc"])
  func whole(typed: String) async throws {
    let run = try await CommandRun.of("call", "show", typed, answer: Self.hub([]))
    #expect(!run.sent.contains { $0 is FindIdsRequest })
    #expect((run.sent.first as? GetCallRequest)?.id == typed)
  }

  @Test("Several are answered with the candidates and what they are")
  func ambiguous() async throws {
    let run = try await CommandRun.of("call", "show", "9d1", "--json", answer: Self.hub([]))
    #expect(run.code == 0)
    let several = try await CommandRun.of("call", "show", "0197", answer: Self.hub([Self.one, Self.other]))
    #expect(several.code == ExitStatus.usage.rawValue)
    #expect(several.errors.contains("\(Self.one)  Call with Ann"))
    #expect(several.errors.contains(Self.other))
  }

  @Test("None is said so")
  func none() async throws {
    let run = try await CommandRun.of("call", "show", "beef", answer: Self.hub([]))
    #expect(run.code == 1 && run.errors.contains("No call has an id that begins or ends with beef."))
    #expect(
      try await CommandRun.of("call", "show", "last", answer: Self.hub([])).errors.contains("There is no call yet."))
  }

  @Test("The last of what was deleted is restored")
  func restore() async throws {
    let run = try await CommandRun.of("call", "restore", "last", answer: Self.hub([Self.one]))
    #expect((run.sent.first as? FindIdsRequest)?.deleted == true)
    #expect(run.sent.contains { ($0 as? RestoreCallRequest)?.id == Self.one })
  }

  @Test("A name comes before a part of an id")
  func name() async throws {
    let run = try await CommandRun.of("people", "show", "ann", answer: Self.hub([Self.other]))
    #expect(run.sent.contains { ($0 as? GetPersonRequest)?.id == Household.annID })
    #expect(!run.sent.contains { $0 is FindIdsRequest })
  }

  @Test("A terminal shows the end of an id; a pipe, --wide and JSON the whole")
  func shown() async throws {
    let terminal = try await CommandRun.of("call", "list", isTerminal: true, columns: 80, answer: Self.hub([]))
    #expect(terminal.output.contains("9d10") && !terminal.output.contains(Self.one))
    for options in [["--wide"], ["--json"]] {
      let run = try await CommandRun.of("call", "list", options[0], isTerminal: true, columns: 80, answer: Self.hub([]))
      #expect(run.output.contains(Self.one))
    }
    let piped = try await CommandRun.of("call", "list", answer: Self.hub([]))
    #expect(piped.output.contains(Self.one) && !piped.sent.contains { $0 is ShortenIdsRequest })
  }
}
