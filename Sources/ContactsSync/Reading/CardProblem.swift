internal import KithMessages
internal import VCard

/// The problems that a card or its file can have, with the sentences that people read. They contain no text of the
/// card.
enum CardProblem {
  /// Makes the row of a problem.
  ///
  /// - Parameters:
  ///   - kind: Stable, lower_snake.
  ///   - line: Counted from 1 in the file; 0 for the file as a whole.
  ///   - skipped: Whether no contact is made of the card.
  static func problem(_ kind: String, href: String, line: Int = 0, skipped: Bool) -> Problem {
    var problem = Problem()
    problem.sourceIdentifier = href
    problem.kind = kind
    problem.line = UInt32(clamping: line)
    problem.skipped = skipped
    problem.message = Self.messages[kind] ?? "The card was read with a repair."
    return problem
  }

  /// A repair made by the vCard reader.
  static func problem(_ warning: Warning, href: String) -> Problem {
    Self.problem(Self.snake(warning.kind.rawValue), href: href, line: warning.line, skipped: false)
  }

  /// Why a card could not be read.
  static func problem(_ fault: CardFault, href: String) -> Problem {
    Self.problem(Self.snake(fault.kind.rawValue), href: href, line: fault.line, skipped: true)
  }

  /// A card with another name or UID than at the last pass, while the card known by this name or UID may be in a part
  /// that could not be listed.
  ///
  /// - Parameter unlisted: The display name of the unlisted part.
  static func waiting(_ href: String, for unlisted: [String]) -> Problem {
    var problem = Self.problem(Self.cardWaits, href: href, skipped: true)
    guard let first = unlisted.first else { return problem }
    let others = unlisted.count == 1 ? "" : " and \(unlisted.count - 1) more"
    problem.message =
      "This card waits until '\(first)'\(others) can be read: the card that is known by its name or its UID may be there."
    return problem
  }

  /// The kinds after which a part of a file may be missing, so that its missing cards are not deleted.
  static let truncating: Set<String> = [
    Self.snake(Warning.Kind.missingEnd.rawValue), Self.snake(CardFault.Kind.cutOff.rawValue),
    Self.snake(CardFault.Kind.cardTooLarge.rawValue), Self.snake(CardFault.Kind.lineTooLong.rawValue),
  ]

  /// A card that cannot be assigned to a contact yet.
  static let cardWaits = "card_waits"
  /// An address book that its account no longer has.
  static let bookMissing = "book_missing"
  /// An address book that could not be read.
  static let bookUnavailable = "book_unavailable"
  /// An address book whose list is incomplete.
  static let bookPartial = "book_partial"
  /// An address book whose cards are requested one by one.
  static let oneByOne = "cards_one_by_one"
  /// The kinds of problems of an address book, not of a card.
  static let ofBooks: Set<String> = [
    Self.bookMissing, Self.bookUnavailable, Self.bookPartial, Self.oneByOne,
  ]

  private static func snake(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
  }

  /// The sentences by kind.
  static let messages = [
    "not_a_file": "This is a link, a folder or a device, not an ordinary file. Put the card itself here.",
    "folder_link":
      "This is a link to a folder, whose cards are not read. Add that folder as a source of its own.",
    "folder_too_deep":
      "Cards in this folder are not read, because it lies in a folder of a folder. Add it as a source of its own.",
    "folders_not_searched":
      "Folders here lie too deep and were not all searched; they may hold cards. Add those that do as sources of their own.",
    "folder_unreadable":
      "The folder cannot be read. Give kithd's user the right to read it. Its contacts stay as they were.",
    "file_unreadable": "The file cannot be opened. Give kithd's user the right to read it.",
    "file_too_large": "The file is larger than 17 MiB. Add it as a source of its own with --vcf.",
    "file_empty": "The file is empty. It may be half written; its contact stays as it was.",
    "no_card": "The file holds no card.",
    "card_unreachable": "The server did not return the card. The next pass requests it again.",
    Self.cardWaits:
      "This card waits until the source can be read whole: the card that is known by its name or its UID may be in the rest.",
    Self.bookMissing: "The account no longer has this address book. Its contacts stay as they were.",
    Self.bookUnavailable: "The address book could not be read. Its contacts stay as they were.",
    Self.bookPartial:
      "The server's list of this address book is not complete. Contacts that it lacks stay, and the next pass retries.",
    Self.oneByOne: "The server returns the cards of this address book only one by one, which is slow.",
    "card_too_large": "The card exceeds the size limit.",
    "line_too_long": "A line of the card exceeds the size limit.",
    "empty": "The card holds no property.",
    "cut_off": "The card ends before its first property; the file may be truncated.",
    "text_outside_card": "There is text outside of BEGIN:VCARD and END:VCARD.",
    "missing_begin": "BEGIN:VCARD is missing.",
    "missing_end": "END:VCARD is missing; the file may be truncated.",
    "missing_version": "VERSION is missing; the card was read as 3.0.",
    "duplicate_version": "VERSION occurs more than once; the first one was used.",
    "unknown_version": "VERSION is not 2.1, 3.0 or 4.0; the card was read as 3.0.",
    "missing_formatted_name": "FN is missing; the name was taken from another property.",
    "unreadable_line": "A line is not a property and was left out.",
    "unbalanced_quotes": "The quotes of a parameter are not closed.",
    "undeclared_charset": "Bytes are not UTF-8 and no character set is declared.",
    "undecodable_charset": "The text does not fit its declared character set.",
    "unreadable_date": "A date has no known form and was kept as text.",
    "unreadable_revision": "REV has no known form.",
    "undecodable_photo": "The picture is of an unknown kind and was left out.",
    "photo_unreachable": "The picture that the card links to could not be fetched.",
    "photo_later": "The server did not return the picture that the card links to. The next pass requests it again.",
    "photo_too_large": "The picture is larger than 12 MiB and was left out.",
    "too_many_properties": "There are more than 2,000 properties; the rest was left out.",
    "too_many_values": "There are more than 200 values of one kind; the rest was left out.",
    "too_many_parameters": "There are more than 64 parameters; the rest was left out.",
    "nested_too_deep": "Cards are nested too deep; the inner ones were left out.",
  ]
}
