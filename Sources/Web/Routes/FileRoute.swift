internal import Bus
internal import CZlib
internal import Digest
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import WebFiles
internal import WebRules

/// `/files/…` and other files that are a part of the program: scripts and styles of the pages, and the description of all methods.
///
/// They are the same for everybody, so they may be compressed; pages are not: their size would tell what is in them (BREACH).
struct FileRoute: Sendable {
  let name: String

  /// Answers with the file, or says that the reader has it already.
  func answer(_ head: RequestHead, _ context: WebContext) throws(Refusal) -> Response {
    guard let file = EmbeddedFile.all[self.name] else {
      throw Refusal(404, Failure(.notFound, "PAGE_UNKNOWN", "There is no such file."))
    }
    var response: Response
    if head.hasKnown(file.tag) {
      response = Response(status: .notModified)
    } else {
      let compressed = head.takesGzip ? file.compressed : nil
      response = .bytes(compressed ?? file.bytes, file.mediaType, context)
      if compressed != nil { response.headers[.contentEncoding] = "gzip" }
    }
    response.headers[.eTag] = file.tag
    response.headers[.vary] = "Accept-Encoding"
    response.headers[.cacheControl] = "no-cache"
    return response
  }
}

/// A file that the compiler put into the program.
private struct EmbeddedFile: Sendable {
  let mediaType: String
  let bytes: [UInt8]
  /// The bytes as gzip; nil if that is not shorter.
  let compressed: [UInt8]?
  /// Weak, because it is the same for both (RFC 9110, 8.8.1).
  let tag: String

  /// The files by their names.
  static let all: [String: EmbeddedFile] = {
    var files: [String: EmbeddedFile] = [:]
    var index = 0
    while let file = kith_web_file_at(index)?.pointee {
      files[String(cString: file.name)] = EmbeddedFile(file)
      index += 1
    }
    return files
  }()

  private init(_ file: kith_web_file) {
    let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    self.mediaType = String(cString: file.media_type)
    self.bytes = bytes
    self.tag = "W/\"\(Hex.encode(SHA256.digest(bytes).prefix(8)))\""
    let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      count = kith_gzip(bytes, bytes.count, buffer.baseAddress, buffer.count)
    }
    self.compressed = compressed.isEmpty ? nil : compressed
  }
}
