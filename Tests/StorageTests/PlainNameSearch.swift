import GRDB
import KithMessages

@testable import Storage

/// What ``NameSearch`` finds, by its rules alone: each word is compared with each name of everyone.
struct PlainNameSearch {
  /// The entries of each owner in the index of names.
  private var entries: [NameOwner: [NameWords.Entry]] = [:]
  /// The text of each owner in the full-text index.
  private var texts: [NameOwner: String] = [:]

  init(_ database: Database) throws {
    for row in try Row.fetchAll(database, sql: "SELECT owner, word, sound FROM name_entry") {
      self.entries[NameOwner(number: row["owner"]), default: []].append(
        NameWords.Entry(text: row["word"], sound: row["sound"]))
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
      if texts.allSatisfy(Self.isInitial) || (!isOnly && !initials.isEmpty) { return initials }
      if !initials.isEmpty {
        let word = texts[0]
        return self.texts.keys.reduce(into: initials) {
          if $0[$1] == nil { $0[$1] = self.distance($1, word, misspelt, isAlone: true) }
        }
      }
    }
    let words = Array(texts.prefix(6))
    let whole = words.filter { !Self.isInitial($0) }
    let isAlone = words.count == 1
    let distances = whole.map { word in
      let hasExact = !isOnly && (!isAlone || NameKey.make(word) == nil)
      return self.texts.keys.reduce(into: [NameOwner: Int]()) {
        $0[$1] =
          hasExact && self.has($1, word) ? 0 : self.distance($1, word, misspelt, isAlone: isAlone)
      }
    }
    let complete = self.texts.keys.filter { owner in
      !distances.isEmpty && distances.allSatisfy { $0[owner] != nil }
    }
    let sums = Dictionary(
      complete.map { owner in (owner, distances.reduce(0) { $0 + ($1[owner] ?? 0) }) }
    ) { first, _ in first }
    if whole.count == words.count, !sums.isEmpty || isAlone || !misspelt { return sums }
    let initials = words.filter(Self.isInitial)
    if !sums.isEmpty {
      return self.best(sums.mapValues { (whole.count, $0) }) { owner in self.begin(owner, initials) }
    }
    let scores = self.texts.keys.filter { self.hasInitial($0, of: whole) }.reduce(into: [NameOwner: (Int, Int)]()) {
      let known = distances.compactMap { [owner = $1] in $0[owner] }
      if !known.isEmpty { $0[$1] = (known.count, known.reduce(0, +)) }
    }
    let nearest = Self.sorted(scores).prefix(NameSearch.checked)
    return self.best(Dictionary(nearest.map { ($0.key, $0.value) }) { first, _ in first }) { owner in
      self.begin(owner, initials)
        && zip(whole, distances).allSatisfy { word, distances in
          distances[owner] != nil || NameKey.make(word) == nil
            || self.names(owner).contains { NameKey.initials(of: word).contains($0) }
        }
    }
  }

  /// Whether a name of an owner is the initial of one of the words, and words that have none are among the names.
  private func hasInitial(_ owner: NameOwner, of words: [String]) -> Bool {
    self.names(owner).contains { name in
      words.contains { NameKey.initials(of: $0).contains(name) }
    } && words.allSatisfy { NameKey.make($0) != nil || self.has(owner, $0) }
  }

  /// Those for whom a condition holds, as many as a search gives, the best first: with most words, and the smallest difference.
  private func best(_ scores: [NameOwner: (Int, Int)], _ condition: (NameOwner) -> Bool) -> [NameOwner: Int] {
    let found = Self.sorted(scores).filter { condition($0.key) }.prefix(NameSearch.checked)
    return Dictionary(found.map { ($0.key, $0.value.1 + 1) }) { first, _ in first }
  }

  private static func sorted(_ scores: [NameOwner: (Int, Int)]) -> [(key: NameOwner, value: (Int, Int))] {
    scores.sorted { ($1.value.0, $0.value.1, $0.key.number) < ($0.value.0, $1.value.1, $1.key.number) }
  }

  /// Whether each of some initials begins a name of an owner.
  private func begin(_ owner: NameOwner, _ initials: [String]) -> Bool {
    initials.allSatisfy { initial in self.names(owner).contains { $0.hasPrefix(NameKey.make(initial) ?? "-") } }
  }

  /// How far the names of an owner are from a word; nil if none is like it.
  private func distance(_ owner: NameOwner, _ word: String, _ misspelt: Bool, isAlone: Bool) -> Int? {
    guard let key = NameKey.make(word), key.utf8.count > 1 else { return nil }
    let letters = Array(key.unicodeScalars)
    let spelled = SpelledWord(letters)
    let faults = misspelt ? Spelling.faults(in: word, letters: letters.count, isAlone: isAlone) : 0
    let sound = Spelling.sound(of: word)
    let distances = (self.entries[owner] ?? []).compactMap { name -> Int? in
      if name.text.hasPrefix(key) { return name.text == key ? 0 : 1 }
      guard faults > 0, name.text >= " " else { return nil }
      let sharesPart = NameSearch.parts(letters, faults: faults).contains { part in
        part.isEnd ? String(name.text.reversed()).hasPrefix(part.text) : name.text.hasPrefix(part.text)
      }
      if sharesPart, let distance = spelled.distance(to: name.text, limit: faults) { return 2 * distance }
      guard !sound.isEmpty, name.sound == sound else { return nil }
      return spelled.distance(to: name.text, limit: letters.count / 2).map { 2 * $0 + 1 }
    }
    return distances.min()
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
    self.entries.filter { $0.value.contains { $0.text == entry } }.mapValues { _ in 0 }
  }

  private func names(_ owner: NameOwner) -> [String] { (self.entries[owner] ?? []).map(\.text).filter { $0 >= " " } }

  private static func isInitial(_ word: String) -> Bool { word.utf8.count == 1 && NameKey.make(word) != nil }
}
