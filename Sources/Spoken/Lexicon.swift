internal import KithMessages

/// The words of one language, and what part they have in a sentence.
struct Lexicon: Sendable {
  /// The part of a word.
  enum Role: Sendable, Hashable {
    /// Changes nothing: "slowly", "her", particles.
    case plain
    /// Says how much: "two", "half", "all".
    case amount
    /// In which measure, or of which kind: "cups", "warm", "left eye".
    case kind
    /// Needs something behind it: "the", "and", を at the end.
    case link
    /// Joins two things.
    case joiner
    /// Comes before anything: "please", えーと.
    case filler
    /// Who is cared for.
    case subject
    /// Who speaks, and may give something: "I".
    case speaker
    /// Several who speak.
    case speakers
    /// What belongs to the speaker, or is done by the speaker for the speaker.
    case own
    /// Who is not cared for here, and what is theirs: "the dog", "her brother's".
    case others
    /// The name of a category at the head of an entry, which is a thing too.
    case name(CareCategory)
    /// What is taken, eaten, visited.
    case object(CareCategory)
    /// What is done.
    case verb(Verb)
    /// "after breakfast": the time of day in words.
    case aside
    case to
    case command
    case memo
    case remind, daily, call, on, off
    case question
    case when
    case last
    /// "recorded", "entries", in a question.
    case log
    /// "eat" in a question.
    case asked(CareCategory)
    case time(TimeWord)
    case doubt(Doubt)
    case unknown
  }

  /// Who does something for whom.
  enum Doer: Sendable, Hashable {
    /// The person cared for.
    case cared
    /// Somebody who gives it to them.
    case giver
    case either
  }

  /// Something that was done.
  struct Verb: Sendable, Hashable {
    /// What it can be done with.
    var categories: Set<CareCategory>
    /// What it means without an object; nil if it needs one.
    var whole: CareCategory?
    /// With "to", these instead.
    var to: Set<CareCategory> = []
    /// Who did it.
    var doer = Doer.cared
    /// Whether it may follow its object without anybody who did it: "lunch eaten".
    var isPassive = false
    /// Whether it is not done with a place: 「トイレがありました」 tells where one is.
    var isPlaceless = false
    /// The only things that it is done with, of which one stands before it; empty = all of its categories.
    var things: Set<String> = []
  }

  /// A part of a sentence.
  struct Piece: Sendable {
    let role: Role
    /// Which words of the utterance.
    let tokens: Range<Int>
  }

  private let roles: [String: Role]
  private let longest: Int
  private let time: @Sendable (Utterance, Int) -> (word: TimeWord, count: Int)?

  /// - Parameters:
  ///   - groups: Phrases of a role, separated by `|`.
  ///   - longest: The words of the longest phrase.
  ///   - time: Reads a part of a time at a word.
  init(
    _ groups: [(Role, String)], longest: Int,
    time: @escaping @Sendable (Utterance, Int) -> (word: TimeWord, count: Int)?
  ) {
    var roles: [String: Role] = [:]
    for (role, phrases) in groups {
      for phrase in phrases.split(whereSeparator: { "|\n".contains($0) }) {
        roles[String(phrase).trimmed] = role
      }
    }
    self.roles = roles
    self.longest = longest
    self.time = time
  }

  /// Whether a phrase is a thing, or no word of the language: only then it may be the name of something.
  func isThing(_ phrase: String) -> Bool {
    switch self.roles[phrase] {
    case nil, .object, .name, .kind: true
    default: false
    }
  }

  /// The parts of a sentence: at each word the longest phrase that is known, or the longest part of a time.
  ///
  /// - Parameters:
  ///   - names: More subjects, in lower case: the names of the person cared for.
  ///   - things: More phrases, with their roles.
  func pieces(_ utterance: Utterance, names: Set<String>, things: [String: Role] = [:]) -> [Piece] {
    let isSpaced = utterance.language != .japanese
    let longest = things.keys.map { isSpaced ? $0.split(separator: " ").count : $0.count }.reduce(self.longest, max)
    var pieces: [Piece] = []
    var index = 0
    while index < utterance.tokens.count {
      var (role, count) = (Role.unknown, 1)
      for length in stride(from: min(longest, utterance.tokens.count - index), to: 0, by: -1) {
        let phrase = utterance.phrase(index..<index + length)
        if let known = things[phrase] ?? (names.contains(phrase) ? .subject : self.roles[phrase]) {
          (role, count) = (known, length)
          break
        }
      }
      if role == .unknown, utterance.tokens[index].word.first?.isNumber == true {
        // "The 3rd" is a day of a month that is not named.
        let isOrdinal = ["st", "nd", "rd", "th"].contains { utterance.tokens[index].word.hasSuffix($0) }
        role = isOrdinal ? .doubt(.whichTime) : .amount
      }
      if let time = self.time(utterance, index), time.count >= count { (role, count) = (.time(time.word), time.count) }
      pieces.append(Piece(role: role, tokens: index..<index + count))
      index += count
    }
    return pieces
  }
}

extension String {
  /// Without blanks around it.
  var trimmed: String {
    String(self.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
