/// The head of a reply, read line by line as libcurl hands it over. RFC 9112 sections 4 and 5.
struct ReplyHead: Sendable {
  /// Bytes of all lines that are accepted.
  static let limit = 256 << 10

  private(set) var status = 0
  private(set) var headers: HTTPHeaders = [:]
  /// Whether the empty line after the last field of a final reply has come.
  private(set) var isComplete = false
  private var size = 0

  /// Whether the status is one of success.
  var isSuccess: Bool { (200..<300).contains(status) }

  /// Whether the body is compressed in the one way that was offered. RFC 9110 section 8.4.1.3 has both names.
  var isCompressed: Bool { ["gzip", "x-gzip"].contains(headers["Content-Encoding"]?.lowercased()) }

  /// The size of the body as it was announced.
  var announcedSize: Int? { headers["Content-Length"].flatMap { Int($0) } }

  /// Takes a line. Returns false when the head is too long.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    size += line.count
    guard size <= Self.limit else { return false }
    // Decoding copies the bytes; what is not UTF-8 is repaired.
    let text = unsafe String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      // A further head: after 100 Continue, or after the first answer of a digest.
      self = ReplyHead(status: text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, size: size)
    } else if isComplete {
      // A trailer, of which nothing is used.
    } else if text.first == "\r\n" || text.first == "\n" {
      isComplete = status >= 200
    } else if text.first == " " || text.first == "\t" {
      headers.extendLast(text.trimmed)
    } else if let colon = text.firstIndex(of: ":") {
      headers.add(String(text[..<colon]), text[text.index(after: colon)...].trimmed)
    }
    return true
  }

  init() {}

  private init(status: Int, size: Int) {
    self.status = status
    self.size = size
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}
