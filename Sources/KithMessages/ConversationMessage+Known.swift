extension ConversationMessage {
  /// The most characters of a message.
  public static var longest: Int { Self.field("content")?.rules.max ?? 0 }

  /// Its text as a correction names it in `if_content`: with line feeds alone, and of a longer message of the server the beginning.
  public var knownContent: String { String(self.content.plainLines.unicodeScalars.prefix(Self.longest)) }
}

extension String {
  /// The text with each line break of a browser's form (CR LF) as a line feed. A browser reads CR LF and CR in a page as a
  /// line feed, too.
  public var plainLines: String { String(self.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 }) }
}
