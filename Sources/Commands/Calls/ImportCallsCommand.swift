internal import ArgumentParser
internal import Bus
internal import Foundation
internal import Glibc
internal import KithClient
internal import KithMessages
internal import SwiftProtobuf

struct ImportCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Read calls of a JSON export in again.",
    discussion: """
      Calls that are here stay as they are, also if the same file is read twice; deleted ones are not recorded again. People are \
      found by id, else by exactly their name. Attachments are not part of an export.
      Example: kith call import calls-2026-11-25.json
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "A file that `kith call export --format json` wrote; - for standard input.", completion: .file())
  var file: String

  func run(_ session: Session) async throws {
    let calls = try self.read(session.language)
    var reply = BulkTagCallsReply()
    var (known, unplaced): (Int, [String]) = (0, [])
    let here = try await Self.here(session)
    for call in calls {
      guard !here.contains(call.id) else {
        known += 1
        continue
      }
      guard let person = try await Self.person(of: call, session) else {
        unplaced.append(call.personName)
        continue
      }
      guard !here.contains(Self.place(of: call, person)) else {
        known += 1
        continue
      }
      let recorded = try await session.ask(Self.request(call, person))
      reply.ids.append(recorded.id)
    }
    let missing = Set(unplaced).sorted().map(Printable.text).joined(separator: ", ")
    try await session.show(
      reply,
      [
        session.language(
          "Recorded \(Count.of(reply.ids.count, "call")); \(Count.grouped(known)) known already.",
          "電話を\(reply.ids.count)件記録しました。登録済み: \(known)件。")
      ]
        + (unplaced.isEmpty
          ? []
          : [
            session.language(
              "\(Count.of(unplaced.count, "call")) left out, because nobody is called: \(missing)",
              "この名前の人がいないため、\(unplaced.count)件を省きました: \(missing)")
          ]))
    if !unplaced.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
  }

  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for another file.
  private func read(_ say: Language) throws(Failure) -> [Call] {
    let descriptor = try InputFile.open(self.file)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while case let piece = try InputFile.piece(of: descriptor, named: self.file, 256 << 10), !piece.isEmpty {
      bytes += piece
    }
    // The form of the export: an object with `calls`, as in the reply of a list.
    guard let reply = try? ListCallsReply(jsonUTF8Bytes: bytes, options: Self.options) else {
      throw Failure.invalid(
        field: "file",
        say(
          "\(Printable.text(self.file)) is no export of calls. Make one: kith call export --format json",
          "\(Printable.text(self.file)) は電話を書き出したファイルではありません。作るには: kith call export --format json")
      ).worded
    }
    return reply.calls
  }

  /// An export of a newer kithd may have more fields.
  private static var options: JSONDecodingOptions {
    var options = JSONDecodingOptions()
    options.ignoreUnknownFields = true
    return options
  }

  /// What tells the calls that are here, deleted ones too: their ids, and with whom and when they were.
  private static func here(_ session: Session) async throws(Failure) -> Set<String> {
    var request = ListCallsRequest()
    request.includeDeleted = true
    return Set(try await session.askAll(request).calls.flatMap { [$0.id, Self.place(of: $0, $0.personID)] })
  }

  private static func place(of call: Call, _ person: String) -> String {
    "\(person) \(call.calledAt.seconds) \(call.calledAt.nanos)"
  }

  private static func person(of call: Call, _ session: Session) async throws(Failure) -> String? {
    do throws(Failure) {
      if !call.personID.isEmpty {
        let person = try await session.ask(GetPersonRequest.with { $0.id = call.personID }).person
        if !person.hasDeletedAt { return person.id }
      }
    } catch {
      guard error.reason == "RECORD_UNKNOWN" else { throw error }
    }
    guard !call.personName.isEmpty else { return nil }
    return try? await PersonReference(text: call.personName).exactID(session)
  }

  /// The client id makes a call one call if two people read it in at once.
  private static func request(_ call: Call, _ person: String) -> LogCallRequest {
    var request = LogCallRequest()
    request.record.personID = person
    request.record.calledAt = call.calledAt
    request.record.durationMinutes = call.durationMinutes
    request.record.emotion = call.emotion
    request.record.note = call.note
    request.record.tags = call.tags
    request.record.theyCalled = call.theyCalled
    request.clientID = call.id.isEmpty ? "" : "import:\(call.id)"
    return request
  }
}
