/// How long a text of a record may be: the one rule for every kind.
///
/// Characters are counted as Unicode code points, as Monica's server, SQLite and Python count them; what people see as one character
/// may have several. A text must also fit into one message of the wire: docs/protocol.md, section 9.
package struct TextLimit: Sendable, Hashable {
  /// Code points.
  package let characters: Int

  /// Bytes of text that the answer to a command holds beside everything else.
  package static let messageBytes = 200_000

  /// A name or another text of one line.
  package static let line = Self(255)
  /// A tag of a call, and the name of a template.
  package static let word = Self(64)
  /// Who recorded, or is recorded about.
  package static let name = Self(100)
  /// An address on the web.
  package static let url = Self(2000)
  /// The note of a reminder to call.
  package static let reminderNote = Self(500)
  /// The note of a call, and the memo of an entry.
  package static let memo = Self(5000)
  /// A message of a conversation.
  package static let message = Self(10_000)
  /// What was said in a recording: more than the quickest say in ten minutes.
  package static let transcript = Self(20_000)
  /// A description or a comment.
  package static let description = Self(65_535)
  /// A note about a person.
  package static let note = Self(100_000)

  /// Makes a limit.
  package init(_ characters: Int) { self.characters = characters }

  /// Whether a text is short enough.
  package func holds(_ text: String) -> Bool { self.fault(of: text) == nil }

  /// What is wrong with the length of a text; nil when nothing is.
  package func fault(of text: String) -> String? {
    let bytes = text.utf8.count
    // Bytes first: code points are not counted where it cannot matter.
    guard bytes > self.characters else { return nil }
    let count = text.unicodeScalars.count
    if count > self.characters { return "has \(count) characters; at most \(self.characters) are kept." }
    return bytes > Self.messageBytes
      ? "has \(bytes) bytes; at most \(Self.messageBytes) go into one message." : nil
  }
}
