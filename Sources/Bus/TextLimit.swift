package import KithMessages

/// The length limit of a text field. `proto/` states how long each text may be.
///
/// Characters are Unicode code points, as in Monica's server, SQLite and Python; what a person sees as one character may
/// be several. A text must also fit into one message on the wire: docs/protocol.md, section 9.
package struct TextLimit: Sendable, Hashable {
  /// Code points.
  package let characters: Int

  /// The bytes of text that fit into a reply beside its other fields.
  package static let messageBytes = 200_000

  /// The memo of a care entry.
  package static let memo = Self(of: "memo", in: CareRecord.self)
  /// A transcript: more than anybody can say in ten minutes.
  package static let transcript = Self(of: "transcript", in: CareRecord.self)
  /// The name of a carer or of a person cared for.
  package static let name = Self(of: "recorder", in: CareRecord.self)
  /// The note of a reminder to call.
  package static let reminderNote = Self(of: "note", in: AddCallReminderRequest.self)

  /// Makes the limit that `proto/` states for a field.
  package init<M: CheckedMessage>(of field: String, in message: M.Type) {
    self.init(M.field(field)?.rules.max ?? 0)
  }

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
