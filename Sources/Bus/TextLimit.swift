/// The length limit of a text field of a record, for every kind.
///
/// Characters are Unicode code points, as in Monica's server, SQLite and Python; what a person sees as one character may
/// be several. A text must also fit into one message on the wire: docs/protocol.md, section 9.
package struct TextLimit: Sendable, Hashable {
  /// Code points.
  package let characters: Int

  /// The bytes of text that fit into a reply beside its other fields.
  package static let messageBytes = 200_000

  /// A name or another text of one line.
  package static let line = Self(255)
  /// A tag of a call, and the name of a template.
  package static let word = Self(64)
  /// The name of a carer or of a person cared for.
  package static let name = Self(100)
  /// An address on the web.
  package static let url = Self(2000)
  /// The note of a reminder to call.
  package static let reminderNote = Self(500)
  /// The note of a call, and the memo of an entry.
  package static let memo = Self(5000)
  /// A message of a conversation.
  package static let message = Self(10_000)
  /// A transcript: more than anybody can say in ten minutes.
  package static let transcript = Self(20_000)
  /// A description or a comment.
  package static let description = Self(65_535)
  /// A note about a person.
  package static let note = Self(100_000)

  /// Makes a limit.
  package init(_ characters: Int) { self.characters = characters }

  /// Whether a text is short enough.
  package func holds(_ text: String) -> Bool { self.fault(of: text) == nil }

  /// Why a text is too long; nil if it fits.
  package func fault(of text: String) -> String? {
    let bytes = text.utf8.count
    // Bytes first: a text with few bytes has few code points.
    guard bytes > self.characters else { return nil }
    let count = text.unicodeScalars.count
    if count > self.characters { return "has \(count) characters; at most \(self.characters) are kept." }
    return bytes > Self.messageBytes
      ? "has \(bytes) bytes; at most \(Self.messageBytes) go into one message." : nil
  }
}
