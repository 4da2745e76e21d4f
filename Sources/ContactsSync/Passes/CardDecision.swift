internal import FoundationEssentials
internal import KithMessages
internal import Storage

/// What the store does with one card that was read, given the card that is known.
enum CardDecision: Equatable {
  /// A new contact.
  case insert
  /// What the card says has changed.
  case update(contactID: String)
  /// The same in other bytes: only the card itself is stored.
  case store(contactID: String)
  /// The same bytes, which say the same: only the stamp is stored.
  case touch
  /// A deleted contact is back, with what the card says now.
  case revive(contactID: String)
  /// It cannot be read, or its end is missing, and an earlier state stays.
  case keepStale(contactID: String)
  /// It cannot be read and never could, or its end is missing and its contact is deleted.
  case reportOnly
  /// It went between the listing and the reading: it counts as missing.
  case vanished

  /// Decides on one card.
  ///
  /// - Parameters:
  ///   - read: The card as it was read.
  ///   - known: The card of the same name, or one of the same UID that took this name; nil when there is none.
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
        self = read.isCutOff ? .reportOnly : .revive(contactID: known.contactID)
      } else if known.rawSHA256 == Array(read.rawSha256), !known.isStale {
        // The same bytes say something else where the picture that they name is another one, or the reading has learnt more.
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
  /// Whether the contact is left as it is, because this reading of its card is not good enough.
  var leavesContact: Bool {
    switch self {
    case .keepStale, .reportOnly: true
    case .insert, .update, .store, .touch, .revive, .vanished: false
    }
  }

  /// Whether the problems of the card are other ones than those that are known.
  func tellsProblems(of card: CardRead) -> Bool {
    switch self {
    case .vanished: false
    // Those of the same bytes are the same, but for a picture that they only name.
    case .touch: !card.contact.photoUri.isEmpty
    case .insert, .update, .store, .revive, .keepStale, .reportOnly: true
    }
  }
}

extension CardRead {
  /// Whether the end of the card is missing. A program may be writing it, so what it lacks is not thereby gone.
  var isCutOff: Bool { self.problems.contains { CardProblem.truncating.contains($0.kind) } }

  /// The same as a card that could not be read.
  var withoutContact: CardRead {
    var read = self
    read.clearContact()
    read.rawSha256 = Data()
    for index in read.problems.indices { read.problems[index].skipped = true }
    return read
  }
}

extension KnownCard {
  /// Whether the contact is the last good state of a card that could not be read: no bytes are noted for it then.
  var isStale: Bool { self.rawSHA256.isEmpty }
}
