import Bus
import EventLoop
import Foundation
import KithMessages
import Logging
import TestKit
import Testing
import Transfer

@testable import Transcription

/// whisper.cpp: output that its programs were seen to write, and invalid output.
@Suite(.timeLimit(.minutes(3)))
struct WhisperTests {
  /// The file that `whisper-cli -oj` of version 1.9 writes.
  private static func file(_ language: String, _ lines: (Int, Int, String)...) -> String {
    let transcription = lines.map { from, to, text in
      #"{"timestamps":{"from":"00:00:00,000","to":"00:00:02,560"},"offsets":{"from":\#(from),"to":\#(to)},"text":"\#(text)"}"#
    }
    return
      #"{"systeminfo":"AVX = 1","model":{"type":"base","multilingual":true,"vocab":51865},"params":{"model":"m.bin","#
      + #""language":"\#(language)","translate":false},"result":{"language":"\#(language)"},"transcription":["#
      + transcription.joined(separator: ",") + "]}"
  }

  /// A transcriber whose `whisper-cli` is a script; `$out` is the file that it should write, `$lang` the language.
  private static func desk(_ script: String) throws -> Desk {
    let directory = try TemporaryDirectory()
    let parse = """
      echo "$@" > "\(directory.path)/arguments"
      while [ $# -gt 0 ]; do
        case $1 in -of) out=$2.json; shift;; -l) lang=$2; shift;; -f) sound=$2; shift;; esac; shift
      done
      """
    let program = try Desk.script(parse + "\n" + script, in: directory)
    try Data().write(to: URL(fileURLWithPath: directory.file("model.bin")))
    let settings = WhisperSettings(
      program: program, model: directory.file("model.bin"), threads: 3, prompt: "aspirin", voiceDetector: nil)
    return try Desk([EngineSettings("whisper", languages: ["en", "ja"], .whisper(settings))], directory: directory)
  }

  @Test("the transcript is read from the file, and what nobody said is taken out")
  func transcribed() async throws {
    let japanese = Self.file(
      "ja", (0, 1000, "朝食後の薬を2錠"), (1000, 1400, "(笑い)"), (1600, 1900, "ご視聴ありがとうございました"))
    let desk = try Self.desk("cat > \"$out\" <<'END'\n\(japanese)\nEND")
    let reply = try await desk.transcribe(language: "ja-JP")
    #expect(reply.text == "朝食後の薬を2錠" && reply.language == "ja-JP" && reply.engine == "whisper")
    #expect(reply.engineVersion == "whisper.cpp, model base" && reply.segments.map(\.end) == [1])
    let arguments = try String(contentsOfFile: desk.directory.file("arguments"), encoding: .utf8)
    #expect(
      arguments.contains("-l ja -t 3 -np") && arguments.contains("--prompt aspirin") && !arguments.contains("--vad"))
    #expect(desk.leftovers.isEmpty)
  }

  @Test(
    "success that is none is found out",
    arguments: [
      ("exit 0", Code.internal, "wrote no transcript"),
      ("echo 'error: failed to read audio data' >&2; exit 0", .internal, "failed to read audio data"),
      ("echo '{' > \"$out\"", .internal, "not valid JSON"),
      ("echo '{\"transcription\":[]}' > \"$out\"", .internal, "not valid JSON"),
      ("cat > \"$out\" <<'END'\n\(file("fr", (0, 9, "bonjour")))\nEND", .internal, "in 'fr'"),
      (
        "cat > \"$out\" <<'END'\n\(file("en", (0, 900, " no no"), (900, 950, " No.")))\nEND", .internal, "over and over"
      ),
      ("ln -s /etc/passwd \"$out\"", .internal, "wrote no transcript"),
      ("head -c 10000000 /dev/zero > \"$out\"", .internal, "File size limit"),
      ("echo broken >&2; exit 3", .failedPrecondition, "cannot be loaded: broken"),
      ("exit 2", .internal, "ended with 2"),
    ])
  func lies(script: String, code: Code, word: String) async throws {
    let desk = try Self.desk(script)
    let failure = await desk.failure()
    #expect(failure?.code == code && failure?.message.contains(word) == true, "\(failure?.message ?? "none")")
    #expect(desk.leftovers.isEmpty)
  }

  @Test("without its model it cannot be used, and says so beforehand")
  func absent() async throws {
    let settings = WhisperSettings(program: "/bin/true", model: "/nowhere/model.bin")
    let desk = try Desk([EngineSettings("whisper", languages: ["en"], .whisper(settings))])
    #expect(await desk.failure()?.reason == "ENGINE_UNAVAILABLE")
    #expect(try await desk.engines()[0].problem == "the model /nowhere/model.bin cannot be read")
  }

  @Test("an invention is taken out of silence alone: where somebody spoke it may have been said")
  func inventions() throws {
    let gate = SpeechGate(Sounds.mixed(Sounds.bursts(1) + Sounds.silence(3), Sounds.noise(4, level: 0.001)))
    func cleaned(_ texts: (Float, Float, String)...) throws -> String {
      var answer = TranscribeReply()
      answer.segments = texts.map { start, end, text in
        var segment = TranscriptSegment()
        (segment.start, segment.end, segment.text) = (start, end, text)
        return segment
      }
      return try WhisperText.cleaned(answer, gate).text
    }
    #expect(try cleaned((0, 1, " Thank you.")) == "Thank you.")
    #expect(try cleaned((0, 1, " Half the soup."), (2, 3, " Thank you!")) == "Half the soup.")
    #expect(try cleaned((0, 1, "おやすみなさい")) == "おやすみなさい")
    #expect(try cleaned((2, 3, "おやすみなさい。")) == "")
    #expect(try cleaned((2, 3, " She asked for you")) == "She asked for you")
    #expect(try cleaned((0, 1, " ♪"), (1, 2, "♪ la ♪")) == "la")
    #expect(try cleaned((0, 1, "[BLANK_AUDIO]"), (1, 2, " (coughs) better")) == "better")
    #expect(try cleaned((0, 1, " [unclosed")) == "[unclosed")
  }

  // MARK: - The server

  private static let server = Task {
    try await ServerProcess(["python3", Programs.server("whisper_server.py")]) { $0.hasPrefix("ready ") }
  }

  private static func withServer(
    _ prompt: String = "", address: String? = nil, _ body: (Desk) async throws -> Void
  ) async throws {
    let port = try await Self.server.value.ready.dropFirst("ready ".count)
    try await LoopExecutor.withLoop(
      name: "whisper", poller: try DescriptorPoller(), logger: Logger(label: "whisper.test")
    ) { loop in
      let http = HTTPClient(on: loop)
      let kind = EngineSettings.Kind.whisperServer(address: address ?? "http://127.0.0.1:\(port)", prompt: prompt)
      let result: Result<Void, any Error>
      do {
        try await body(try Desk([EngineSettings("server", languages: ["en", "ja", "de"], kind)], http: http))
        result = .success(())
      } catch {
        result = .failure(error)
      }
      await http.close()
      try result.get()
    }
  }

  @Test("a recording goes to the server as a form, and its transcript comes back")
  func served() async throws {
    try await Self.withServer { desk in
      let reply = try await desk.transcribe()
      // Marks, and the thanks that Whisper invented for silence, are removed.
      #expect(reply.text == "64044 bytes," && reply.language == "en-US" && reply.engine == "server")
      #expect(try await desk.transcribe(language: "ja").language == "ja")
      #expect(try await desk.engines()[0].problem.isEmpty)
    }
  }

  @Test(
    "a server that fails or lies is found out",
    arguments: [
      ("loading", "en", Code.unavailable, "loading"), ("error", "en", .internal, "answers 500"),
      ("garbage", "en", .internal, "not valid JSON"), ("flood", "en", .internal, "longer answer than any"),
      ("wrong", "en", .internal, "in 'fr'"), ("hang up", "en", .unavailable, "closed the connection"),
      ("", "de", .internal, "may not know the language"),
    ])
  func serverLies(prompt: String, language: String, code: Code, word: String) async throws {
    try await Self.withServer(prompt) { desk in
      let failure = await desk.failure(language: language)
      #expect(failure?.code == code && failure?.message.contains(word) == true, "\(failure?.message ?? "none")")
    }
  }

  @Test("a server that hangs is left when the command is given up")
  func serverHangs() async throws {
    try await Self.withServer("hang") { desk in
      let task = Task { await desk.failure() }
      try await until { !desk.leftovers.isEmpty }
      task.cancel()
      #expect(await task.value?.code == .cancelled)
    }
  }

  @Test("one on another machine is refused, one that is not there may be there later")
  func elsewhere() async throws {
    try await Self.withServer(address: "http://192.0.2.1:8080") { desk in
      #expect(await desk.failure()?.reason == "ENGINE_UNAVAILABLE")
      let engines = try await desk.engines()
      #expect(engines[0].problem.contains("another machine"))
    }
    try await Self.withServer(address: "http://127.0.0.1:1") { desk in
      #expect(await desk.failure()?.reason == "ENGINE_UNREACHABLE")
      let engines = try await desk.engines()
      #expect(engines[0].problem.contains("nothing answers"))
    }
    try await Self.withServer(address: "nonsense") { desk in
      #expect(await desk.failure()?.reason == "ENGINE_UNAVAILABLE")
    }
  }
}
