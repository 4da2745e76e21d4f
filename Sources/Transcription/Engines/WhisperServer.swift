internal import Foundation
internal import KithMessages
internal import Transfer

/// `whisper-server` of whisper.cpp on this machine.
///
/// It has no authentication, lets anybody change its model and answers any web page: it belongs on the loopback address only,
/// and an address on another machine is refused.
struct WhisperServer: Engine {
  /// Where it is: `http://127.0.0.1:8080`.
  let address: String
  /// Words that are to be expected; empty = none.
  let prompt: String
  /// Carries the requests; nil = this process has none.
  let http: HTTPClient?

  func problem() async -> String? {
    do throws(EngineFault) {
      let reply = try await self.send("GET", "/health", body: nil, limit: .seconds(5), size: 4096)
      return reply.isSuccess ? nil : "\(self.address) answers \(reply.status); its model may still be loading"
    } catch {
      return error.why ?? "it was not asked"
    }
  }

  func transcribe(_ sound: PreparedSound, _ language: LanguageTag) async throws(EngineFault) -> TranscribeReply {
    let recording: [UInt8]
    do throws(SoundFault) {
      recording = try SoundFile(path: sound.path, flags: SoundFile.reading).read()
    } catch {
      throw .temporary("the recording cannot be read again")
    }
    let form = MultipartForm(
      fields: [
        ("response_format", "verbose_json"), ("language", language.language), ("no_language_probabilities", "true"),
        ("temperature", "0"),
      ] + (self.prompt.isEmpty ? [] : [("prompt", self.prompt)]),
      file: ("file", "recording.wav", "audio/wav", recording))
    let reply = try await self.send(
      "POST", "/inference", body: form, limit: Self.limit(sound), size: TranscriptCheck.longestAnswer)
    switch reply.status {
    case 200: return try WhisperText.cleaned(try Self.answer(reply.body), sound.gate)
    case 503, 429: throw .temporary("\(self.address) answers \(reply.status); its model may still be loading")
    default: throw .failed("\(self.address) answers \(reply.status)")
    }
  }

  private func send(
    _ method: String, _ path: String, body: MultipartForm?, limit: Duration, size: Int
  ) async throws(EngineFault) -> HTTPResponse {
    guard let http else { throw .unavailable("requests by HTTP are not served here") }
    let request: HTTPRequest
    do throws(TransferError) {
      let base = try WebURL(self.address)
      var headers: HTTPHeaders = [:]
      if let body { headers["Content-Type"] = body.contentType }
      request = HTTPRequest(
        method, try base.resolving(path), headers: headers, body: body.map { .bytes($0.bytes) },
        limits: TransferLimits(connect: .seconds(5), idle: limit, total: limit, bodyBytes: size, redirects: 0))
    } catch {
      throw self.fault(error)
    }
    guard request.url.isLoopback else {
      throw .unavailable("whisper-server has no protection, and \(request.url.origin.host) is another machine")
    }
    do throws(TransferError) {
      return try await http.send(request)
    } catch {
      throw self.fault(error)
    }
  }

  private func fault(_ error: TransferError) -> EngineFault {
    switch error {
    case .cancelled: .cancelled
    case .refused, .unreachable, .timeout(.connect, _): .unreachable("nothing answers at \(self.address)")
    case .connectionLost, .truncated, .closed: .temporary("\(self.address) hung up")
    case .timeout: .failed("\(self.address) did not answer in time")
    case .tooLarge: .failed("\(self.address) answers without end")
    case .invalidURL, .unresolvable, .insecure: .unavailable("\(self.address) is no address that can be used")
    default: .failed("\(self.address) answers nonsense")
    }
  }

  /// Reads `verbose_json`.
  static func answer(_ bytes: [UInt8]) throws(EngineFault) -> TranscribeReply {
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(bytes)) else {
      // For a language that it does not know, it answers an empty text alone.
      throw .failed("its answer is not valid JSON of a transcript; it may not know the language")
    }
    var reply = TranscribeReply()
    reply.engineVersion = "whisper-server"
    reply.language = WhisperLanguages.code(of: body.language) ?? body.language
    reply.segments = body.segments.map { line in
      var segment = TranscriptSegment()
      (segment.start, segment.end, segment.text) = (line.start, line.end, line.text)
      return segment
    }
    return reply
  }

  private struct Body: Decodable {
    struct Segment: Decodable { let start: Float, end: Float, text: String }
    let language: String
    let segments: [Segment]
  }
}
