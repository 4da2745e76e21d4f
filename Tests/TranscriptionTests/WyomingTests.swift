import Bus
import Dispatch
import EventLoop
import Foundation
import KithMessages
import TestKit
import Testing
import Wyoming

@testable import Transcription

@Suite(.timeLimit(.minutes(3)))
struct WyomingTests {
  private static let server = Task {
    try await ServerProcess(["python3", Programs.server("wyoming.py")]) { $0.hasPrefix("ready ") }
  }

  /// A transcriber with a server that answers in one of its ways.
  private static func desk(_ way: String) async throws -> Desk {
    let ready = try await Self.server.value.ready
    let port = try #require(
      ready.split(separator: " ").first { $0.hasPrefix(way + "=") }.flatMap { Int($0.dropFirst(way.count + 1)) })
    return try Desk([EngineSettings("home", languages: ["en"], .wyoming(host: "127.0.0.1", port: port))])
  }

  @Test("a recording goes there and its transcript comes back, in both forms of a message and in pieces")
  func transcribed() async throws {
    let reply = try await Self.desk("well").transcribe()
    #expect(reply.text == "64000 bytes in en" && reply.language == "en-US" && reply.engine == "home")
    #expect(try await Self.desk("tersely").transcribe().text == "64000")
    #expect(try await Self.desk("streaming").transcribe().text == "two tablets")
    // More than the buffers of a connection can hold.
    let long = try await Self.desk("well").transcribe(WAVWriter.file(Sounds.bursts(120)))
    #expect(long.text == "3840000 bytes in en")
  }

  @Test(
    "a server that fails or lies is found out",
    arguments: [
      ("nothing", Code.unavailable, "closed the connection"), ("wrong", .internal, "in 'fr'"),
      ("garbage", .internal, "no message"), ("list", .internal, "no message"),
      ("length", .internal, "impossible length"), ("huge", .internal, "impossible length"),
      ("long", .internal, "without an end"), ("flood", .internal, "longer answer than any"),
      ("error", .internal, "no model"),
    ])
  func lies(way: String, code: Code, word: String) async throws {
    let failure = try await Self.desk(way).failure()
    #expect(failure?.code == code && failure?.message.contains(word) == true, "\(failure?.message ?? "none")")
  }

  @Test("one that is not there may be there later; a name that does not exist is a fault of the settings")
  func absent() async throws {
    let desk = try Desk([EngineSettings("home", languages: ["en"], .wyoming(host: "127.0.0.1", port: 1))])
    #expect(await desk.failure()?.reason == "ENGINE_UNREACHABLE")
    #expect(try await desk.engines()[0].problem.contains("127.0.0.1:1"))
  }

  @Test("a name that nobody looks up in time is no reason to wait longer")
  func slowNames() throws {
    let (stop, isOver) = (try EventDescriptor(), DispatchSemaphore(value: 0))
    defer { isOver.signal() }
    let connection = WyomingConnection(
      host: "speech", port: 1, deadline: .now + .milliseconds(20), stop: stop.descriptor,
      resolve: { _, _ in
        isOver.wait()
        return .success([])
      })
    #expect(throws: EngineFault.unreachable("the name speech cannot be looked up")) {
      try connection.ask([]) { _ in true }
    }
  }

  @Test("a machine that answers for its own name is away when nobody does; another name is a fault of the settings")
  func names() {
    guard case .failure(.unreachable) = HostLookup.ofSystem("kith-test-nowhere.local", port: 1) else {
      Issue.record("it was found")
      return
    }
    #expect(HostLookup.ofSystem("127.0.0.1", port: 80).map(\.count) == .success(1))
  }

  @Test("one that never answers is left when the command is given up", arguments: ["never", "deaf"])
  func cancelled(way: String) async throws {
    let desk = try await Self.desk(way)
    let task = Task { await desk.failure() }
    try await until { !desk.leftovers.isEmpty }
    task.cancel()
    #expect(await task.value?.code == .cancelled)
    #expect(desk.leftovers.isEmpty)
  }

  @Test("a server is asked what it is before anybody speaks")
  func described() async throws {
    #expect(try await Self.desk("well").engines()[0].problem.isEmpty)
    #expect(try await Self.desk("error").engines()[0].problem.contains("no speech recognition"))
  }

  @Test("messages survive being cut anywhere; data after the line is laid over that within it")
  func decoder() throws {
    var event = WyomingEvent(type: "audio-chunk", data: .init(rate: 16000, width: 2, channels: 1))
    event.payload = [1, 10, 0, 255]
    let after =
      #"{"type":"transcript","data":{"text":"old","language":"en"},"data_length":14}"# + "\n" + #"{"text":"new"}"#
    let bytes = event.encoded() + Array(after.utf8) + Array(#"{"type":"pong"}"#.utf8) + [10]
    for cut in 0...bytes.count {
      var decoder = WyomingEvent.Decoder()
      var events: [WyomingEvent] = []
      for piece in [bytes[..<cut], bytes[cut...]] {
        decoder.append(Array(piece))
        while let event = try decoder.next() { events.append(event) }
      }
      #expect(events.map(\.type) == ["audio-chunk", "transcript", "pong"])
      #expect(events.first == event)
      #expect(events.count > 1 && events[1].data.text == "new" && events[1].data.language == "en")
    }
  }
}
