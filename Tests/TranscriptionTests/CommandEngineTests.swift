import Bus
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Transcription

/// The interface of worker programs, and engines that violate it.
@Suite(.timeLimit(.minutes(3)))
struct CommandEngineTests {
  @Test("a worker gets recording and language, and its answer is the transcript")
  func honest() async throws {
    let desk = try Desk(
      script: """
        [ "$#" = 2 ] || exit 64
        [ "$(head -c 4 "$1")" = RIFF ] && [ -z "$(ls)" ] || exit 65
        [ "$(wc -c < "$1")" = 64044 ] || exit 65
        printf '%s' '{"engine":"mine","engineVersion":"7","language":"'"$2"'","text":" two\\ttablets\\u0000 ","confidence":1.5,'
        printf '%s\\n' '"audioSeconds":2,"segments":[{"start":-1,"end":99,"text":"two  tablets"}],"more":{}}'
        """)
    let reply = try await desk.transcribe()
    #expect(reply.engine == "fake" && reply.engineVersion == "7" && reply.language == "en-US")
    #expect(reply.text == "two tablets" && reply.confidence == 1)
    #expect(reply.segments.map(\.text) == ["two tablets"])
    #expect(reply.segments.map(\.start) == [0] && reply.segments.map(\.end) == [2])
    #expect(reply.elapsedSeconds > 0 && reply.warnings.isEmpty)
    #expect(desk.leftovers.isEmpty)
  }

  @Test("an engine that understood nothing is believed; sound in which nobody speaks reaches none")
  func empty() async throws {
    let desk = try Desk(script: #"echo '{"engine":"mine","language":"'"$2"'","text":""}'"#)
    let reply = try await desk.transcribe()
    #expect(reply.text.isEmpty && reply.engine == "fake")
    let crashing = try Desk(script: "kill -SEGV $$")
    let silent = try await crashing.transcribe(WAVWriter.file(Sounds.silence(3)))
    #expect(silent.text.isEmpty && silent.engine.isEmpty && silent.warnings == ["no_speech"])
    #expect(silent.language == "en-US")
  }

  @Test(
    "statuses say what kind of failure it is, and complaints why",
    arguments: [
      ("echo no such model >&2; exit 69", Code.failedPrecondition, "ENGINE_UNAVAILABLE", "no such model"),
      ("echo torn >&2; exit 65", .invalidArgument, "BAD_AUDIO", "torn"),
      ("echo 'first\nlast' >&2; exit 75", .unavailable, "ENGINE_BUSY", "last"),
      ("exit 64", .internal, "ENGINE_FAILED", "64"),
      ("echo bad luck >&2; exit 1", .internal, "ENGINE_FAILED", "bad luck"),
      ("kill -SEGV $$", .internal, "ENGINE_FAILED", "signal 11"),
    ])
  func statuses(script: String, code: Code, reason: String, word: String) async throws {
    let failure = try await Desk(script: script).failure()
    #expect(failure?.code == code && failure?.reason == reason)
    #expect(failure?.message.contains(word) == true && failure?.message.contains("fake") == true)
  }

  @Test(
    "an engine that lies is found out",
    arguments: [
      ("exit 0", "returned nothing"),
      ("echo", "returned nothing"),
      ("echo two tablets", "not valid JSON"),
      ("echo '{}'", "does not name"),
      ("echo '[1,2]'", "not valid JSON"),
      ("printf '\\377\\376'", "not valid JSON"),
      (#"echo '{"engine":"e","language":"en","text":"a"'"#, "not valid JSON"),
      (#"echo '{"engine":"e","language":"en","text":7}'"#, "not valid JSON"),
      (#"echo '{"engine":"e","language":"en","text":"a"}'; echo more"#, "more than one line"),
      (#"echo '{"engine":"e","language":"fr","text":"bonjour"}'"#, "in 'fr'"),
      (#"echo '{"engine":"e","text":"a"}'"#, "without saying in which language"),
      (#"echo '{"engine":"e","language":"en","text":"a","confidence":"NaN"}'"#, "not finite"),
      (#"echo '{"engine":"e","language":"en","text":"a","segments":[{"start":"Infinity"}]}'"#, "not finite"),
      (
        #"printf '{"engine":"e","language":"en","text":"'; head -c 100000 /dev/zero | tr '\0' a; echo '"}'"#,
        "longer than a person can say"
      ),
      (
        #"printf '{"engine":"e","language":"en","text":"'; head -c 10000000 /dev/zero | tr '\0' a; echo '"}'"#,
        "more than 1024 KiB"
      ),
      ("yes", "more than 1024 KiB"),
    ])
  func lies(script: String, word: String) async throws {
    let desk = try Desk(script: script)
    let failure = await desk.failure()
    #expect(failure?.code == .internal && failure?.reason == "ENGINE_FAILED")
    #expect(failure?.message.contains(word) == true, "\(failure?.message ?? "none")")
    #expect(desk.leftovers.isEmpty)
  }

  @Test("an engine that is not there cannot be used, and says so beforehand")
  func absent() async throws {
    let desk = try Desk([EngineSettings("gone", languages: ["en"], .command(program: "/nowhere/engine", arguments: []))]
    )
    #expect(await desk.failure()?.reason == "ENGINE_UNAVAILABLE")
    let engines = try await desk.engines()
    #expect(engines.map(\.problem) == ["/nowhere/engine cannot be executed"])
  }

  @Test("an engine that hangs is killed when the command is given up, and the next one has its turn")
  func hanging() async throws {
    let directory = try TemporaryDirectory()
    let mark = directory.file("started")
    let program = try Desk.script(
      """
      [ -e "\(mark)" ] && { echo '{"engine":"e","language":"en","text":"next"}'; exit; }
      trap '' TERM; touch "\(mark)"; sleep 1000
      """, in: directory)
    let desk = try Desk(
      [EngineSettings("slow", languages: ["en"], .command(program: program, arguments: []))], directory: directory)
    let hanging = Task { await desk.failure() }
    try await until { FileManager.default.fileExists(atPath: mark) }
    let next = Task { try await desk.transcribe() }
    hanging.cancel()
    #expect(await hanging.value?.code == .cancelled)
    #expect(try await next.value.text == "next")
    #expect(desk.leftovers.isEmpty)
  }

  @Test("the time of an engine is bounded by that of the recording")
  func bounded() {
    func limit(_ seconds: Double) -> Duration {
      WorkerEngine.limit(PreparedSound(path: "", directory: "", duration: seconds, gate: SpeechGate([])))
    }
    #expect(limit(1) == .seconds(240) && limit(60) == .seconds(240) && limit(600) == .seconds(2400))
  }

  @Test("one recording after another is transcribed")
  func oneAtATime() async throws {
    let directory = try TemporaryDirectory()
    let lock = directory.file("lock")
    // A folder can be made only once, so two at a time would fail.
    let program = try Desk.script(
      #"mkdir "\#(lock)" || exit 1; rmdir "\#(lock)"; echo '{"engine":"e","language":"en","text":"x"}'"#, in: directory)
    let desk = try Desk(
      [EngineSettings("one", languages: ["en"], .command(program: program, arguments: []))], directory: directory)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<12 { group.addTask { try await desk.transcribe().text } }
      for try await text in group { #expect(text == "x") }
    }
  }

  @Test("arguments of the configuration follow; what a killed process has left is removed")
  func arguments() async throws {
    let directory = try TemporaryDirectory()
    let program = try Desk.script(#"echo '{"engine":"e","language":"en","text":"'"$3|$4"'"}'"#, in: directory)
    try FileManager.default.createDirectory(atPath: directory.file("scratch/old"), withIntermediateDirectories: true)
    let desk = try Desk(
      [EngineSettings("e", languages: ["en"], .command(program: program, arguments: ["a b", "c"]))],
      directory: directory)
    #expect(try await desk.transcribe().text == "a b|c")
    #expect(desk.leftovers.isEmpty)
  }
}
