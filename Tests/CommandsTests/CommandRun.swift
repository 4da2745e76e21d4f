import ArgumentParser
import Bus
import CivilTime
import EventLoop
import KithClient
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Commands

/// The output of one command, and its exit code.
struct CommandRun {
  /// A quarter past eight, 21 November 2026.
  static let now = Google_Protobuf_Timestamp(seconds: 1_795_248_900)

  var output = ""
  var errors = ""
  var code: Int32 = 0
  /// The commands that were sent.
  var sent: [any KithMessages.Command] = []

  /// Runs a command line against canned replies.
  ///
  /// - Parameters:
  ///   - typed: A person's answer to every question; nil without a terminal.
  ///   - columns: The width of the terminal.
  ///   - events: The events for `watch`.
  static func of(
    _ arguments: String..., isTerminal: Bool = false, columns: Int? = nil, usesColour: Bool = false,
    typed: String? = nil,
    events: [StreamElement] = [],
    attachments: @escaping @Sendable (any KithMessages.Command) -> [[UInt8]] = { _ in [] },
    answer: @escaping @Sendable (any KithMessages.Command) throws(Failure) -> any Message & Sendable
  ) async throws -> CommandRun {
    try await self.of(
      arguments, isTerminal: isTerminal, columns: columns, usesColour: usesColour, typed: typed, events: events,
      attachments: attachments, answer: answer)
  }

  /// The same with the arguments in a list.
  static func of(
    _ arguments: [String], isTerminal: Bool = false, columns: Int? = nil, usesColour: Bool = false,
    typed: String? = nil,
    events: [StreamElement] = [],
    attachments: @escaping @Sendable (any KithMessages.Command) -> [[UInt8]] = { _ in [] },
    answer: @escaping @Sendable (any KithMessages.Command) throws(Failure) -> any Message & Sendable
  ) async throws -> CommandRun {
    let output = Lock("")
    let errors = Lock("")
    let sent = Lock<[any KithMessages.Command]>([])
    let console = Console(
      isTerminal: isTerminal, columns: columns, usesColour: usesColour, out: { text in output.withLock { $0 += text } },
      err: { text in errors.withLock { $0 += text } }, secret: { _ in typed }, answer: { _ in typed })
    let isAboutContacts = arguments.contains("contacts")
    let port = CannedPort(attachments: attachments) { command, _ throws(Failure) in
      // An id may be that of a contact; those of these tests are ids of people.
      if !isAboutContacts, let request = command as? GetContactRequest {
        throw Failure.unknownRecord(request.id, "There is no contact '\(request.id)'.")
      }
      sent.withLock { $0.append(command) }
      return try answer(command)
    }
    let batches = Lock([events])
    let client = KithClient(port: port) { _, _ throws(Failure) in
      EventSequence { () async throws(Failure) in batches.withLock { $0.popLast() ?? [] } }
    }
    let command = try #require(try await KithCommand.asyncParseAsRoot(arguments) as? any HubCommand)
    var run = CommandRun()
    do {
      let zone = try #require(Zone(named: "Europe/Berlin"))
      var session = Session(client: client, console: console, command.global)
      (session.now, session.zone) = (Self.now, zone)
      try await command.run(in: session)
    } catch let code as ExitCode {
      run.code = code.rawValue
    } catch let error as ValidationError {
      console.printError(error.message)
      run.code = ExitStatus.usage.rawValue
    } catch let failure as Failure {
      console.report(
        failure.read(in: command.global.lang ?? .ofLocale), of: type(of: command), asJSON: command.global.json)
      run.code = ExitStatus(failure).rawValue
    }
    run.output = output.withLock { $0 }
    run.errors = errors.withLock { $0 }
    run.sent = sent.withLock { $0 }
    return run
  }
}
