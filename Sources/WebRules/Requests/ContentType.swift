internal import Bus
internal import KithMessages

/// The kinds of bodies that are taken.
public enum ContentType: Sendable, Hashable {
  /// `application/json`.
  case json
  /// `application/proto`.
  case proto
  /// `application/x-www-form-urlencoded`.
  case form
  /// `audio/…`, with the whole type.
  case audio(String)

  /// Reads the `Content-Type` of a request; nil if it is none of these.
  public init?(of head: RequestHead) {
    guard let text = head.field("content-type") else { return nil }
    let type = String(
      decoding: text.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self
    )
    .lowercased()
    switch type {
    case "application/json": self = .json
    case "application/proto": self = .proto
    case "application/x-www-form-urlencoded": self = .form
    case _ where type.hasPrefix("audio/") && type.utf8.count <= 64: self = .audio(type)
    default: return nil
    }
  }

  /// Checks that a body is not compressed and of a kind that is taken.
  ///
  /// - Parameter names: The kinds for the sentence and for `Accept-Post`.
  /// - Throws: 415.
  public static func check(
    _ head: RequestHead, _ names: String, _ isTaken: (ContentType) -> Bool
  ) throws(Refusal) -> ContentType {
    let encoding = head.fields["content-encoding"] ?? []
    guard encoding.allSatisfy({ $0.lowercased() == "identity" }), let type = ContentType(of: head), isTaken(type) else {
      throw Refusal(
        415, Failure(.invalidArgument, "CONTENT_TYPE_UNSUPPORTED", "The body has to be \(names), not compressed."),
        fields: ["Accept-Post": names])
    }
    return type
  }
}
