import GRDB
import KithMessages

@testable import Storage

/// What ``NameSearch`` finds, by its rules alone: each word is compared with each name of everyone.
struct PlainNameSearch {
  /// The entries of each owner in the index of names.
  private var entries: [NameOwner: [String]] = [:]
  /// The text of each owner in the full-text index.
  private var texts: [NameOwner: String] = [:]

  init(_ database: Database) throws {
    for row in try Row.fetchAll(database, sql: "SELECT owner, word FROM name_entry") {
      self.entries[NameOwner(number: row["owner"]), default: []].append(row["word"])
    }
    for row in try Row.fetchAll(database, sql: "SELECT contact, names FROM contact_search") {
      self.texts[NameOwner(contact: row["contact"])] = row["names"]
    }
    for row in try Row.fetchAll(database, sql: "SELECT person, words FROM person_search") {
      self.texts[NameOwner(person: row["person"])] = row["words"]
    }
  }

  func find(_ text: String, misspelt: Bool) -> [NameOwner: Int] {
    let words = NameWords.words(of: text)
    let joined = NameWords.words(of: NameWords.withoutJoints(text))
    var readings = joined == words ? [words] : [words, joined]
    if joined.count == 2 { readings.append([joined.joined()]) }
    guard readings.count > 1 || words.count != 1 else { return self.owners(of: words, misspelt, isOnly: true) }
    return readings.map { self.owners(of: $0, misspelt, isOnly: false) }.reduce(into: [:]) {
      $0.merge($1, uniquingKeysWith: min)
    }
  }

  private func owners(of texts: [String], _ misspelt: Bool, isOnly: Bool) -> [NameOwner: Int] {
    guard !texts.isEmpty else { return [:] }
    if texts.joined().utf8.count <= 3, texts.count == 1 || texts.allSatisfy({ $0.utf8.count == 1 }) {
      let initials = self.owners(withEntry: NameWords.initialMark + texts.joined())
      if !initials.isEmpty || texts.allSatisfy(Self.isInitial) { return initials }
    }
    let words = Array(texts.prefix(6))
    let whole = words.filter { !Self.isInitial($0) }
    let isAlone = words.count == 1
    let distances = whole.map { word in
      let hasExact = !isOnly && (!isAlone || NameKey.make(word) == nil)
      return self.texts.keys.reduce(into: [NameOwner: Int]()) {
        $0[$1] =
          hasExact && self.has($1, word) ? 0 : self.distance($1, word, misspelt, isAlone: isAlone, isOnly: isOnly)
      }
    }
    let complete = self.texts.keys.filter { owner in
      !distances.isEmpty && distances.allSatisfy { $0[owner] != nil }
    }
    let sums = Dictionary(
      complete.map { owner in (owner, distances.reduce(0) { $0 + ($1[owner] ?? 0) }) }
    ) { first, _ in first }
    if whole.count == words.count, !sums.isEmpty || isAlone || !misspelt { return sums }
    if !sums.isEmpty { return self.fillInitials(words, sums.mapValues { (whole.count, $0) }) }
    return self.fillInitials(
      words,
      self.texts.keys.reduce(into: [:]) { scores, owner in
        let known = distances.compactMap { $0[owner] }
        if !known.isEmpty { scores[owner] = (known.count, known.reduce(0, +)) }
      })
  }

  private func fillInitials(_ words: [String], _ scores: [NameOwner: (Int, Int)]) -> [NameOwner: Int] {
    let best = scores.sorted { ($1.value.0, $0.value.1, $0.key.number) < ($0.value.0, $1.value.1, $1.key.number) }
    var found: [NameOwner: Int] = [:]
    for (owner, score) in best.prefix(NameSearch.checked) {
      let fits = words.allSatisfy { word in
        guard let key = NameKey.make(word) else { return true }
        return self.names(owner).contains { other in
          if Self.isInitial(word) { return other.hasPrefix(key) }
          return NameSearch.isNear(key, other) || (other.utf8.count == 1 && key.hasPrefix(other))
        }
      }
      if fits { found[owner] = score.1 + 1 }
    }
    return found
  }

  /// How far the names of an owner are from a word; nil if none is like it.
  private func distance(
    _ owner: NameOwner, _ word: String, _ misspelt: Bool, isAlone: Bool, isOnly: Bool
  ) -> Int? {
    guard let key = NameKey.make(word), key.utf8.count > 1 else { return nil }
    let letters = Array(key.unicodeScalars)
    let spelled = SpelledWord(letters)
    let tolerance = Spelling.tolerance(letters: min(word.unicodeScalars.count, letters.count))
    let finds = misspelt && tolerance > 0 && letters.count > 2 && (isAlone || word.unicodeScalars.count > 3)
    let close = self.names(owner).compactMap { name -> Int? in
      if name.hasPrefix(key) { return name == key ? 0 : 1 }
      guard finds else { return nil }
      let sharesPart = NameSearch.parts(letters, faults: tolerance).contains { part in
        part.isEnd ? String(name.reversed()).hasPrefix(part.text) : name.hasPrefix(part.text)
      }
      return sharesPart ? spelled.distance(to: name, limit: tolerance).map { 2 * $0 } : nil
    }
    let sound = Spelling.sound(of: word)
    guard finds, !sound.isEmpty, (self.entries[owner] ?? []).contains(NameWords.soundMark + sound) else {
      return close.min()
    }
    let heard = self.names(owner)
      .compactMap { spelled.distance(to: $0, limit: max(tolerance, letters.count / 2)) }
      .map { 2 * $0 + 1 }
    // Among several words, a name that looks alike is not looked at for what it sounds like.
    return isOnly ? (close + heard).min() : close.min() ?? heard.min()
  }

  /// Whether the full-text index has a word of an owner.
  private func has(_ owner: NameOwner, _ word: String) -> Bool {
    let parts = SearchText.words(of: word)
    return !parts.isEmpty
      && parts.allSatisfy { part in
        let marks = String(repeating: SearchText.mark, count: max(0, 3 - part.unicodeScalars.count))
        return (self.texts[owner] ?? "").contains(marks + part)
      }
  }

  private func owners(withEntry entry: String) -> [NameOwner: Int] {
    self.entries.filter { $0.value.contains(entry) }.mapValues { _ in 0 }
  }

  private func names(_ owner: NameOwner) -> [String] { (self.entries[owner] ?? []).filter { $0 >= " " } }

  private static func isInitial(_ word: String) -> Bool { word.utf8.count == 1 && NameKey.make(word) != nil }
}
