public import Bus
public import KithMessages

extension PageLimit {
  /// Characters of each text of a record that is too large for one reply.
  private static let textLength = 4096

  /// A record that fits into one reply. One that is too large has its texts cut, a conversation lacks its oldest messages, and
  /// `truncated` is set.
  ///
  /// Only records that were written on the server can be too large.
  ///
  /// - Throws: `INTERNAL/BUG` for a record that cannot be written at all.
  public static func fit<R: SyncedRecord>(_ record: R) throws(Failure) -> R {
    // In JSON it is up to six times as large, when all of it has to be escaped.
    guard try Encoding.pb.encode(record).count > Self.bodyBytes / 6, try self.room(of: record) > self.bodyBytes else {
      return record
    }
    return try self.cut(record)
  }

  private static func room<R: SyncedRecord>(of record: R) throws(Failure) -> Int {
    try Encoding.json.encode(record).count
  }

  /// The record with its texts cut, and with as many of its newest messages as fit. Unchanged for a kind without `truncated`.
  private static func cut<R: SyncedRecord>(_ record: R) throws(Failure) -> R {
    guard let truncated = R.flagPath("truncated") else { return record }
    var cut = record
    cut[keyPath: truncated] = true
    for field in R.fields {
      switch field.value {
      case .text(let path): cut[keyPath: path] = self.beginning(of: cut[keyPath: path])
      case .messages(let path):
        cut[keyPath: path] = []
        cut[keyPath: path] = try self.newest(record[keyPath: path], bytes: self.bodyBytes - self.room(of: cut))
      default: break
      }
    }
    return cut
  }

  private static func beginning(of text: String) -> String { String(text.unicodeScalars.prefix(Self.textLength)) }

  /// The newest messages that fit into so many bytes.
  private static func newest(
    _ messages: [ConversationMessage], bytes: Int
  ) throws(Failure) -> [ConversationMessage] {
    var (newest, left): ([ConversationMessage], Int) = ([], bytes)
    for message in messages.reversed() {
      var message = message
      if message.content.utf8.count > Self.bodyBytes / 6 { message.content = self.beginning(of: message.content) }
      left -= try Encoding.json.encode(message).count + 1
      guard left > 0 else { break }
      newest.append(message)
    }
    return newest.reversed()
  }
}

extension RemoteRecord.OneOf_Record {
  /// Whether ``PageLimit/fit(_:)`` has cut it.
  public var isTruncated: Bool { self.record.isTruncated }
}

extension SyncedRecord {
  fileprivate var isTruncated: Bool { Self.flagPath("truncated").map { self[keyPath: $0] } ?? false }
}
