internal import Foundation

/// The body of a failed request, in either of the two formats of Monica 4.
///
/// Monica's own format is `{"error":{"message":TEXT or [TEXT...],"error_code":NUMBER}}`, Laravel's
/// `{"message":TEXT,"errors":{FIELD:[TEXT...]}}`, where `errors` is a list of lists for an archived person. The texts
/// are in the account's language: they are shown to people, and no decision depends on them.
struct ErrorReply: Sendable, Equatable {
  /// The code in Monica's own format: 31 = no such record, 32 = invalid, 30 = the page size is too large.
  var code: Int64?
  /// Each sentence, by its field, or by its number from 1.
  var sentences: [String: String] = [:]
  /// The sentences in order.
  var text = ""

  /// The most sentences that are kept: they are stored with the change, and shown in lists.
  private static let mostSentences = 20
  private static let longestSentence = 300

  static let recordMissing: Int64 = 31
  static let pageTooLarge: Int64 = 30

  /// Makes a reply with one text.
  init(text: String) { self.take(text.isEmpty ? [] : [text]) }

  /// Parses the body of a failure; nil if it is not a JSON object, such as the page of a proxy.
  init?(_ body: [UInt8]) {
    guard let reply = try? JSONDecoder().decode(Self.self, from: Data(body)) else { return nil }
    self = reply
  }
}

extension ErrorReply: Decodable {
  /// Decodes either format.
  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    if let error = try fields.object(MonicaFormat.self, "error") {
      self.code = error.code
      self.take(error.messages)
    } else {
      let message = fields.text("message")
      if let errors = try fields.object([String: Texts].self, "errors") {
        let fields = errors.keys.sorted().prefix(Self.mostSentences)
        self.take(fields.flatMap { errors[$0]?.texts ?? [] })
        self.sentences = Dictionary(
          fields.map { ($0, Self.short(errors[$0]?.texts.joined(separator: " ") ?? "")) }, uniquingKeysWith: { $1 })
      } else if let errors = try fields.list(Texts.self, "errors") {
        self.take(errors.flatMap(\.texts))
      } else {
        self.take(message.isEmpty ? [] : [message])
      }
    }
  }

  private static func short(_ text: String) -> String {
    // Bytes are compared first: most texts are so short that characters need not be counted.
    text.utf8.count <= Self.longestSentence ? text : String(text.prefix(Self.longestSentence))
  }

  private mutating func take(_ texts: [String]) {
    let texts = texts.prefix(Self.mostSentences).map(Self.short)
    self.text = texts.joined(separator: " ")
    self.sentences = Dictionary(
      texts.enumerated().map { (String($0.offset + 1), $0.element) }, uniquingKeysWith: { $1 })
  }

  private struct MonicaFormat: Decodable {
    let code: Int64?
    let messages: [String]

    init(from decoder: any Swift.Decoder) throws {
      let fields = try Fields(decoder)
      self.code = fields.number("error_code")
      self.messages = try fields.list(Texts.self, "message")?.flatMap(\.texts) ?? [fields.text("message")]
    }
  }

  /// One text, or a list of texts.
  private struct Texts: Decodable {
    let texts: [String]

    init(from decoder: any Swift.Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self.texts = [text]
      } else {
        self.texts = (try? container.decode([String].self)) ?? []
      }
    }
  }
}
