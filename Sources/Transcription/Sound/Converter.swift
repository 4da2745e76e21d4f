internal import EventLoop
internal import Glibc

/// Converts recordings to the format of the engines by FFmpeg, or Opus in Ogg by opusdec if FFmpeg is not installed. Each
/// conversion is a process of its own with limits.
public struct Converter: Sendable, Hashable {
  /// The folder with `ffmpeg` and `ffprobe`, of Debian's package ffmpeg, and with `opusdec`, of opus-tools.
  public var programs: String

  /// Names the folder of the programs.
  public init(programs: String = "/usr/bin") { self.programs = programs }

  /// Converts a file.
  ///
  /// - Parameters:
  ///   - source: The recording.
  ///   - format: Its container, detected from its bytes.
  ///   - target: The output, which must not exist.
  ///   - seconds: The most seconds to read.
  ///   - directory: An empty folder to work in.
  /// - Throws: `SoundFault`.
  func convert(
    _ source: String, _ format: SoundFormat, to target: String, seconds: Int, directory: String
  ) async throws(SoundFault) {
    if self.has("ffmpeg"), self.has("ffprobe") {
      try await self.requireSampleRate(source, format, directory)
      // `-f` before the input fixes the format, so that no other file or address is opened.
      _ = try await self.run(
        "ffmpeg",
        ["-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe", "-f", format.demuxer, "-i", "file:" + source]
          + ["-map", "0:a:0", "-vn", "-sn", "-dn", "-t", "\(seconds)", "-ac", "1", "-ar", "\(SpeechFormat.sampleRate)"]
          + ["-c:a", "pcm_s16le", "-bitexact", "-f", "wav", "file:" + target], directory)
    } else if format == .ogg, self.has("opusdec") {
      _ = try await self.run(
        "opusdec", ["--quiet", "--rate", "\(SpeechFormat.sampleRate)", "--force-wav", source, target], directory)
    } else {
      throw .converterMissing(package: format == .ogg ? "ffmpeg or opus-tools" : "ffmpeg")
    }
  }

  /// Refuses a low sample rate, which the conversion would hide.
  private func requireSampleRate(_ source: String, _ format: SoundFormat, _ directory: String) async throws(SoundFault)
  {
    let output = try await self.run(
      "ffprobe",
      ["-v", "error", "-protocol_whitelist", "file,pipe", "-f", format.demuxer, "-select_streams", "a:0"]
        + ["-show_entries", "stream=sample_rate", "-of", "default=nw=1:nk=1", "file:" + source], directory)
    guard let line = output.split(separator: "\n").first, let rate = Int(line), rate > 0 else { throw .undecodable }
    guard rate >= SpeechFormat.sampleRate else { throw .lowSampleRate(rate) }
  }

  /// The package that conversion needs and that is not installed; nil if nothing is missing.
  var missing: String? { self.has("ffmpeg") && self.has("ffprobe") ? nil : "ffmpeg" }

  private func has(_ program: String) -> Bool {
    // The string outlives the call.
    unsafe access(self.programs + "/" + program, X_OK) == 0
  }

  private func run(_ program: String, _ arguments: [String], _ directory: String) async throws(SoundFault) -> String {
    let child = ChildProcess(
      self.programs + "/" + program, arguments, directory: directory,
      limits: .init(time: .seconds(240), fileSize: SoundFile.limit))
    let outcome: ChildProcess.Outcome
    do throws(ChildProcess.Fault) {
      outcome = try await child.run()
    } catch {
      switch error {
      case .cancelled: throw .cancelled
      // A busy machine can be the cause. The job is tried three times.
      case .outOfTime:
        throw .notConverted("\(program) did not end within \(child.limits.time.components.seconds) seconds")
      // Only a malicious file makes a decoder print so much.
      case .tooMuchOutput: throw .undecodable
      case .notExecutable: throw .notConverted("\(program) cannot be executed")
      case .notStarted(let call, _): throw .notConverted("\(program) cannot be started (\(call))")
      }
    }
    guard outcome.ending == .exited(0) else { throw .undecodable }
    return String(decoding: outcome.output, as: UTF8.self)
  }
}
