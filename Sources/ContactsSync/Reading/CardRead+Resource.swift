internal import FoundationEssentials
internal import KithMessages
internal import VCard

extension CardRead {
  /// The cards of one file or resource. A single card takes its name; several cards are named by ``CardKeys``.
  ///
  /// - Parameter fingerprint: The fingerprint of the file or resource when it was read.
  static func cards(_ bytes: [UInt8], href: String, fingerprint: String) -> [CardRead] {
    let readings = Array(CardReader(bytes))
    if readings.count == 1, case .success(let card) = readings[0].result {
      return [ContactMapping.cardRead(card, href: href, fingerprint: fingerprint)]
    }
    guard readings.count > 1 else {
      var read = Self.unreadable(href, bytes.isEmpty ? "file_empty" : "no_card")
      if case .failure(let fault)? = readings.first?.result { read.problems = [CardProblem.problem(fault, href: href)] }
      read.fingerprint = fingerprint
      return [read]
    }
    var keys = CardKeys()
    for reading in readings { keys.add(try? reading.result.get()) }
    return zip(readings, keys.hrefs(file: href)).map { reading, href in
      switch reading.result {
      case .success(let card): return ContactMapping.cardRead(card, href: href, fingerprint: fingerprint)
      case .failure(let fault):
        var read = CardRead()
        read.href = href
        read.fingerprint = fingerprint
        read.problems = [CardProblem.problem(fault, href: href)]
        return read
      }
    }
  }

  /// Adds the photo that the card links to.
  mutating func add(_ picture: Picture) {
    self.pictures.append(picture)
    self.show(picture.ref)
  }

  /// Adds a stored photo.
  mutating func show(_ picture: BlobRef) {
    self.contact.photo = picture
    self.semanticDigest = Data(ContactMapping.digest(self.contact))
  }

  /// A card that was deleted between listing and reading.
  static func vanished(_ href: String) -> CardRead {
    var read = CardRead()
    read.href = href
    read.vanished = true
    return read
  }

  /// A card that could not be read. It has no fingerprint, so the next pass reads it again.
  static func unreadable(_ href: String, _ kind: String) -> CardRead {
    var read = CardRead()
    read.href = href
    read.problems = [CardProblem.problem(kind, href: href, skipped: true)]
    return read
  }
}
