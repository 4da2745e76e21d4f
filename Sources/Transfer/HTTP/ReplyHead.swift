/// The head of a reply, read in the lines that libcurl passes on. RFC 9112 sections 4 and 5.
struct ReplyHead: Sendable {
  /// The most bytes of all lines.
  static let limit = 256 << 10

  private(set) var status = 0
  private(set) var headers: HTTPHeaders = [:]
  /// Whether the empty line after the last field of a final reply was received.
  private(set) var isComplete = false
  private var size = 0

  /// Whether the status is 2xx.
  var isSuccess: Bool { (200..<300).contains(status) }

  /// Whether the body is compressed by gzip, the only encoding that requests allow. RFC 9110 section 8.4.1.3 has both names.
  var isCompressed: Bool { ["gzip", "x-gzip"].contains(headers["Content-Encoding"]?.lowercased()) }

  /// The announced size of the body; nil if none.
  var announcedSize: Int? { headers["Content-Length"].flatMap { Int($0) } }

  /// Reads a line. Returns false if the head is too long.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    size += line.count
    guard size <= Self.limit else { return false }
    // Decoding copies the bytes, and repairs what is not UTF-8.
    let text = unsafe String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      // Another head: after 100 Continue, or after the first reply of a digest login.
      self = ReplyHead(status: text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, size: size)
    } else if isComplete {
      // A trailer, which is ignored.
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
