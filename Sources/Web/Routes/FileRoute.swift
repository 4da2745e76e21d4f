internal import Bus
internal import CZlib
internal import Digest
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import NIOCore
internal import Pages
internal import WebFiles
internal import WebRules

/// `/files/…` and other files that are a part of the program: scripts and styles of the pages, and the description of all methods.
///
/// They are the same for everybody, so they may be compressed; pages are not: their size would tell what is in them (BREACH).
///
/// Pages name the scripts of their own version, `/files/0123456789abcdef/app.js`, so that no page runs those of two versions. These
/// never change, and the address of another version leads nowhere.
struct FileRoute: Sendable {
  /// The path of the folder that has the scripts of this version.
  static let scripts = "/files/\(EmbeddedFile.version)/"

  /// `/files/`: the paths of the scripts that pages run, as JSON, which the worker of the pages keeps.
  private static let list = ByteBuffer(
    string: "[\(Frame.scripts.map { "\"\(Self.scripts)\($0)\"" }.joined(separator: ","))]")

  private let name: String
  private let isOfVersion: Bool

  /// Makes the route of a file: its name, or version and name.
  init(path: String) {
    self.isOfVersion = path.hasPrefix(EmbeddedFile.version + "/") && path.hasSuffix(".js")
    self.name = self.isOfVersion ? String(path.dropFirst(EmbeddedFile.version.count + 1)) : path
  }

  /// Answers with the file, or says that the reader has it already.
  func answer(_ head: RequestHead) throws(Refusal) -> Response {
    if self.name.isEmpty {
      var response = Response.bytes(Self.list, "application/json")
      response.headers[.cacheControl] = "no-cache"
      return response
    }
    guard let file = EmbeddedFile.all[self.name] else {
      throw Refusal(404, Failure(.notFound, "PAGE_UNKNOWN", "There is no such file."))
    }
    var response: Response
    if head.hasKnown(file.tag) {
      response = Response(status: .notModified)
    } else {
      let compressed = head.takesGzip ? file.compressed : nil
      response = .bytes(compressed ?? file.bytes, file.mediaType)
      if compressed != nil { response.headers[.contentEncoding] = "gzip" }
    }
    response.headers[.eTag] = file.tag
    response.headers[.vary] = "Accept-Encoding"
    response.headers[.cacheControl] = self.isOfVersion ? "public, max-age=31536000, immutable" : "no-cache"
    return response
  }
}

/// The style sheet of the family's pages, and the mark by which their policy allows it (Content Security Policy 3, 2.3.1).
enum PageStyle {
  static let text = EmbeddedFile.all["page.css"].map { String(buffer: $0.bytes) } ?? ""
  static let source = "'sha256-\(Data(SHA256.digest(Array(Self.text.utf8))).base64EncodedString())'"
}

/// A file that the compiler put into the program. All answers share its bytes: readers, however many and slow, take no memory for it.
private struct EmbeddedFile: Sendable {
  let mediaType: String
  let bytes: ByteBuffer
  /// The bytes as gzip; nil if that is not shorter.
  let compressed: ByteBuffer?
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

  /// The same for the same pages: sixteen digits of the digest of all files but the description of the methods.
  static let version: String = {
    let files = Self.all.filter { $0.key != "openapi.json" }.sorted { $0.key < $1.key }
    let tags = files.map { "\($0.key) \($0.value.tag)" }
    return Hex.encode(SHA256.digest(Array(tags.joined(separator: "\n").utf8)).prefix(8))
  }()

  private init(_ file: kith_web_file) {
    let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    self.mediaType = String(cString: file.media_type)
    self.bytes = ByteBuffer(bytes: bytes)
    self.tag = "W/\"\(Hex.encode(SHA256.digest(bytes).prefix(8)))\""
    let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      count = kith_gzip(bytes, bytes.count, buffer.baseAddress, buffer.count)
    }
    self.compressed = compressed.isEmpty ? nil : ByteBuffer(bytes: compressed)
  }
}
