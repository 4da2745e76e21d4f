internal import Foundation
internal import KithMessages
internal import Transfer

/// `whisper-server` of whisper.cpp on this machine.
///
/// It has no authentication, and any client or web page can change its model. So it must listen on the loopback address, and an
/// address on another machine is refused.
struct WhisperServer: Engine {
  /// Its URL: `http://127.0.0.1:8080`.
  let address: String
  /// Words to expect; empty for none.
  let prompt: String
  /// Carries the requests; nil if this process has no HTTP client.
  let http: HTTPClient?

  func problem() async -> String? {
    do throws(EngineFault) {
      let reply = try await self.send("GET", "/health", body: nil, limit: .seconds(5), size: 4096)
      return reply.isSuccess ? nil : "\(self.address) answers \(reply.status); its model may still be loading"
    } catch {
      return error.why ?? "the check was cancelled"
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
    guard let http else { throw .unavailable("this process has no HTTP client") }
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
    case .connectionLost, .truncated, .closed: .temporary("\(self.address) closed the connection")
    case .timeout: .failed("\(self.address) did not answer in time")
    case .tooLarge: .failed("\(self.address) sends a longer answer than any transcript")
    case .invalidURL, .unresolvable, .insecure: .unavailable("\(self.address) is not a usable address")
    default: .failed("\(self.address) sends an invalid answer")
    }
  }

  /// Reads `verbose_json`.
  static func answer(_ bytes: [UInt8]) throws(EngineFault) -> TranscribeReply {
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(bytes)) else {
      // For an unknown language its answer has an empty text only.
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

/// A form with one file, as a body. RFC 7578.
struct MultipartForm {
  /// For the header `Content-Type`.
  let contentType: String
  /// The body.
  let bytes: [UInt8]

  /// Makes a form.
  ///
  /// - Parameters:
  ///   - fields: Names and values, in their order. No name has a quotation mark or a line end.
  ///   - file: Its field's name, its own name, its media type and its content.
  init(fields: [(String, String)], file: (name: String, filename: String, type: String, content: [UInt8])) {
    // 128 random bits: no recording contains them by chance.
    let boundary = "kith-\(UInt64.random(in: 0...UInt64.max))-\(UInt64.random(in: 0...UInt64.max))"
    var bytes: [UInt8] = []
    for (name, value) in fields {
      bytes += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    let disposition = "form-data; name=\"\(file.name)\"; filename=\"\(file.filename)\""
    bytes += Array(
      "--\(boundary)\r\nContent-Disposition: \(disposition)\r\nContent-Type: \(file.type)\r\n\r\n".utf8)
    bytes += file.content
    bytes += Array("\r\n--\(boundary)--\r\n".utf8)
    self.contentType = "multipart/form-data; boundary=\(boundary)"
    self.bytes = bytes
  }
}

/// The names of languages in answers of `whisper-server`. `g_lang` in src/whisper.cpp of whisper.cpp 1.9.
enum WhisperLanguages {
  /// The ISO 639 code of a language; nil for a name that Whisper does not have.
  static func code(of name: String) -> String? { Self.codes[name.lowercased()] }

  private static let codes: [String: String] = Dictionary(
    uniqueKeysWithValues: Self.table.split(separator: ",").map { entry in
      let parts = entry.split(separator: " ", maxSplits: 1)
      return (String(parts[1]), String(parts[0]))
    })

  private static let table = """
    en english,zh chinese,de german,es spanish,ru russian,ko korean,fr french,ja japanese,pt portuguese,tr turkish,\
    pl polish,ca catalan,nl dutch,ar arabic,sv swedish,it italian,id indonesian,hi hindi,fi finnish,vi vietnamese,\
    he hebrew,uk ukrainian,el greek,ms malay,cs czech,ro romanian,da danish,hu hungarian,ta tamil,no norwegian,th thai,\
    ur urdu,hr croatian,bg bulgarian,lt lithuanian,la latin,mi maori,ml malayalam,cy welsh,sk slovak,te telugu,\
    fa persian,lv latvian,bn bengali,sr serbian,az azerbaijani,sl slovenian,kn kannada,et estonian,mk macedonian,\
    br breton,eu basque,is icelandic,hy armenian,ne nepali,mn mongolian,bs bosnian,kk kazakh,sq albanian,sw swahili,\
    gl galician,mr marathi,pa punjabi,si sinhala,km khmer,sn shona,yo yoruba,so somali,af afrikaans,oc occitan,\
    ka georgian,be belarusian,tg tajik,sd sindhi,gu gujarati,am amharic,yi yiddish,lo lao,uz uzbek,fo faroese,\
    ht haitian creole,ps pashto,tk turkmen,nn nynorsk,mt maltese,sa sanskrit,lb luxembourgish,my myanmar,bo tibetan,\
    tl tagalog,mg malagasy,as assamese,tt tatar,haw hawaiian,ln lingala,ha hausa,ba bashkir,jw javanese,su sundanese,\
    yue cantonese
    """
}
