internal import FoundationEssentials
internal import KithMessages
internal import Storage

/// What the store does with one card that was read, given the known card.
enum CardDecision: Equatable {
  /// A new contact.
  case insert
  /// The content of the card has changed.
  case update(contactID: String)
  /// Other bytes with the same content: only the card itself is stored.
  case store(contactID: String)
  /// The same bytes with the same content: only the fingerprint is stored.
  case touch
  /// Restores a deleted contact with the card's present content.
  case undelete(contactID: String)
  /// The card is unreadable or incomplete; the earlier version of its contact stays.
  case keepStale(contactID: String)
  /// The card is unreadable and has no contact, or is incomplete and its contact is deleted.
  case reportOnly
  /// The card was deleted between listing and reading: it counts as missing.
  case vanished

  /// Decides on one card.
  ///
  /// - Parameters:
  ///   - read: The card as it was read.
  ///   - known: The card of the same name, or one of the same UID that got this name; nil if there is none.
  init(read: CardRead, known: KnownCard?) {
    if read.vanished {
      self = .vanished
    } else if !read.hasContact {
      guard let known, !known.contactID.isEmpty, !known.isDeleted else {
        self = .reportOnly
        return
      }
      self = .keepStale(contactID: known.contactID)
    } else if let known, !known.contactID.isEmpty {
      if known.isDeleted {
        self = read.isCutOff ? .reportOnly : .undelete(contactID: known.contactID)
      } else if known.rawSHA256 == Array(read.rawSha256), !known.isStale {
        // The same bytes can have another content: the linked photo changed, or a new version of the reader reads more.
        let isSame = read.isCutOff || known.semanticDigest == Array(read.semanticDigest)
        self = isSame ? .touch : .update(contactID: known.contactID)
      } else if known.semanticDigest == Array(read.semanticDigest), !known.isStale {
        self = .store(contactID: known.contactID)
      } else if read.isCutOff {
        self = .keepStale(contactID: known.contactID)
      } else {
        self = .update(contactID: known.contactID)
      }
    } else {
      self = .insert
    }
  }
}

extension CardDecision {
  /// Whether the contact stays unchanged because its card is unreadable or incomplete.
  var leavesContact: Bool {
    switch self {
    case .keepStale, .reportOnly: true
    case .insert, .update, .store, .touch, .undelete, .vanished: false
    }
  }

  /// Whether the problems of the card differ from the stored ones.
  func tellsProblems(of card: CardRead) -> Bool {
    switch self {
    case .vanished: false
    // The same bytes have the same problems, except for those of a linked photo.
    case .touch: !card.contact.photoUri.isEmpty
    case .insert, .update, .store, .undelete, .keepStale, .reportOnly: true
    }
  }
}

extension CardRead {
  /// Whether the end of the card is missing. A program may be writing it, so missing properties are not deleted.
  var isCutOff: Bool { self.problems.contains { CardProblem.truncating.contains($0.kind) } }

  /// The same card as an unreadable one.
  var withoutContact: CardRead {
    var read = self
    read.clearContact()
    read.rawSha256 = Data()
    for index in read.problems.indices { read.problems[index].skipped = true }
    return read
  }
}

extension KnownCard {
  /// Whether the contact is the last good version of an unreadable card, which has no digest of its bytes.
  var isStale: Bool { self.rawSHA256.isEmpty }
}
