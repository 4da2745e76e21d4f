internal import Bus
internal import CivilTime
internal import Digest
internal import KithMessages

/// The columns and index entries that follow from a record's content: its place in lists, its people, its search text.
struct RecordTraits: Equatable {
  /// The sort key of people and tags, whose lists are ordered by name.
  var sortKey: String?
  /// Records with a higher rank come first: open tasks. For people: 1 = archived, 2 = partial, 3 = both.
  var rank: Int64 = 0
  /// The time by which lists are ordered, in nanoseconds since 1970; 0 for people and tags.
  var at: Int64 = 0
  /// The shown name of a person.
  var name: String?
  /// Minutes of a call.
  var duration: Int64 = 0
  /// Of a call, as ``emotions`` numbers them; 0 = none.
  var emotion: Int64 = 0
  /// Of a call.
  var theyCalled = false
  /// Ids of the people it is about, each once, the one it belongs to first.
  var people: [String] = []
  /// Folded tags, channel or type, each once.
  var labels: [String] = []
  /// The texts to search; empty for kinds without search.
  var texts: [String] = []
  /// Digests of the blobs it names.
  var blobs: [[UInt8]] = []

  /// In the order of their numbers, from 1, which are in the database: `proto/` only appends to them.
  static let emotions = CallEmotion.allCases.map(\.rawValue)
  /// The label of a call whose timer runs. No tag has it: it is no letter.
  static let running = "\u{1}"

  /// Reads a record.
  ///
  /// - Parameter createdAt: Nanoseconds since 1970; what the record goes by where it has no time of its own.
  init(of record: AnyRecord, createdAt: Int64) {
    self.at = createdAt
    self.people = record.people
    // People have their own index.
    if record.kind != .person { self.texts = record.record.searchedTexts }
    switch record {
    case .person(let person): self.read(person)
    case .tag(let tag):
      self.sortKey = Self.key(tag.name)
      self.at = 0
    case .task(let task): self.rank = task.isCompleted ? 0 : 1
    case .call(let call): self.read(call)
    case .conversation(let conversation):
      if conversation.hasHappenedAt { self.at = conversation.happenedAt.nanosecondsSince1970 }
      self.labels = [Self.key(conversation.channel)].filter { !$0.isEmpty }
    case .activity(let activity):
      self.at = Day(activity.happenedOn)?.nanosecondsSince1970 ?? createdAt
      self.labels = Self.labels([activity.type])
    case .contactField(let field):
      // Every server has these two types.
      self.labels = ["email", "phone"].contains(field.type) ? [] : Self.labels([field.type])
    default: break
    }
  }

  private mutating func read(_ person: Person) {
    self.name = person.shownName
    self.sortKey = Self.key([person.lastName, person.firstName, person.shownName])
    self.rank = (person.isArchived ? 1 : 0) | (person.isPartial ? 2 : 0)
    self.at = 0
    self.labels = Self.labels(person.tags)
    self.blobs = person.hasPhoto ? Self.digests([person.photo]) : []
  }

  private mutating func read(_ call: Call) {
    if call.hasCalledAt { self.at = call.calledAt.nanosecondsSince1970 }
    self.duration = Int64(call.durationMinutes)
    self.emotion = Self.number(ofEmotion: call.emotion)
    self.theyCalled = call.theyCalled
    self.labels = Self.labels(call.tags) + (call.isRunning ? [Self.running] : [])
    self.blobs = Self.digests(call.attachments)
  }

  /// The key of a text in lists and filters: folded and trimmed.
  static func key(_ text: String) -> String {
    var scalars = Folding.fold(text.beginning(512)).filter { $0.value > 1 }[...]
    while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
    while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The number of a feeling; 0 for one that has none.
  static func number(ofEmotion name: String) -> Int64 {
    Self.emotions.firstIndex(of: name).map { Int64($0 + 1) } ?? 0
  }

  /// The lowest character ends a part, as in the list of contacts.
  private static func key(_ parts: [String]) -> String {
    parts.map(self.key).filter { !$0.isEmpty }.joined(separator: "\u{1}")
  }

  private static func labels(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.map(self.key).filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  private static func digests(_ blobs: [BlobRef]) -> [[UInt8]] {
    Array(Set(blobs.compactMap { Hex.decode($0.sha256) }.filter { $0.count == 32 }))
  }
}

extension SyncedRecord {
  /// The texts that search covers.
  fileprivate var searchedTexts: [String] {
    Self.fields.filter(\.rules.isSearched).flatMap { field -> [String] in
      switch field.value {
      case .text(let path): [self[keyPath: path]]
      case .texts(let path): self[keyPath: path]
      case .messages(let path): self[keyPath: path].map(\.content)
      default: []
      }
    }
  }
}
