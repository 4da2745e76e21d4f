internal import ArgumentParser
internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// How a command line names a record.
protocol RecordReference: ExpressibleByArgument, Sendable {
  /// The help of the argument.
  static var help: ArgumentHelp { get }
  /// The argument in examples.
  static var example: String { get }

  /// The argument as it was typed.
  var text: String { get }

  init(text: String)

  /// Finds the id.
  ///
  /// - Throws: `INVALID_ARGUMENT/NAME_AMBIGUOUS` with the candidates, `NOT_FOUND/RECORD_UNKNOWN` without one.
  func id(_ session: Session) async throws(Failure) -> String

  /// Finds the id of a record that was deleted.
  ///
  /// - Throws: As ``id(_:)``.
  func deletedID(_ session: Session) async throws(Failure) -> String
}

extension RecordReference {
  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self.init(text: argument)
  }

  func deletedID(_ session: Session) async throws(Failure) -> String { try await self.id(session) }
}

/// An id as it is typed: whole, by a few characters of its end or beginning, or as `last`.
struct IDText: Sendable {
  static let help = ArgumentHelp("The id, as lists show it; the beginning or the end of one; or last.", valueName: "id")
  static let example = "last"

  /// The word for the record that was made last.
  static let last = "last"
  private static let leastCharacters = 4

  let text: String
  /// As in `FindIdsRequest`.
  let kind: String

  /// Whether it may be a part of an id. Those of reminders have words too: `daily:2026-11-20`.
  var isPiece: Bool {
    !self.isLast && self.text.count >= Self.leastCharacters
      && (self.kind == Reminder.idKind || self.text.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == "-") })
  }

  /// Whether it is the word for the record that was made last.
  var isLast: Bool { self.text.lowercased() == Self.last }

  /// The sentence where `last` means nothing.
  static func none(_ noun: String, isDeleted: Bool, _ say: Language) -> String {
    say("There is no \(isDeleted ? "deleted " : "")\(noun) yet.", "\(isDeleted ? "削除された" : "")\(noun)はまだありません。")
  }

  /// The ids that are meant; nil for a text that is neither a part of an id nor `last`.
  ///
  /// - Parameter isDeleted: Whether `last` is the record that was deleted last.
  func candidates(_ session: Session, isDeleted: Bool = false) async throws(Failure) -> [String]? {
    guard self.isLast || self.isPiece, !UUIDv7.isID(self.text) else { return nil }
    var request = FindIdsRequest()
    request.kind = self.kind
    if !self.isLast { request.piece = self.text }
    request.deleted = isDeleted
    return try await session.ask(request).ids
  }
}

/// What has ids that people type.
protocol Identified: Sendable {
  /// As in `FindIdsRequest`.
  static var idKind: String { get }
  /// The command that lists them.
  static var list: String { get }
  /// The word for one in a language: `entry`, `call`.
  static func idNoun(_ say: Language) -> String
  /// A few words about the one with an id, by which a person tells it from others.
  static func words(about id: String, _ session: Session) async -> String
}

/// A record named by its id.
struct RecordID<Target: Identified>: RecordReference {
  static var help: ArgumentHelp { IDText.help }
  static var example: String { IDText.example }
  static var defaultCompletionKind: CompletionKind { Completion.ids(Target.idKind) }

  let text: String

  func id(_ session: Session) async throws(Failure) -> String { try await self.resolved(session, isDeleted: false) }

  func deletedID(_ session: Session) async throws(Failure) -> String {
    try await self.resolved(session, isDeleted: true)
  }

  private func resolved(_ session: Session, isDeleted: Bool) async throws(Failure) -> String {
    // What cannot be a part of an id goes to kithd as it is, which says what is wrong with it.
    let typed = IDText(text: self.text, kind: Target.idKind)
    guard let found = try await typed.candidates(session, isDeleted: isDeleted) else { return self.text }
    let (noun, say) = (Target.idNoun(session.language), session.language)
    guard let first = found.first else {
      throw Failure.unknownRecord(
        self.text,
        typed.isPiece
          ? say(
            "No \(noun) has an id that begins or ends with \(self.text). To see the ids: \(Target.list)",
            "ID が \(self.text) で始まる、または終わる\(noun)はありません。一覧: \(Target.list)")
          : IDText.none(noun, isDeleted: isDeleted, say)
      ).worded
    }
    guard found.count > 1 else { return first }
    var candidates: [NameMatch.Candidate] = []
    for id in found { candidates.append(.init(id: id, shown: await Target.words(about: id, session), names: [])) }
    await session.ids.learn(FindIdsReply.with { $0.ids = found }, session)
    throw NameMatch(noun: noun, candidates: candidates, list: Target.list, say: say).ambiguous(
      self.text, candidates, session.ids)
  }
}

extension Array where Element: RecordReference {
  /// The ids of all, each once.
  func ids(_ session: Session) async throws(Failure) -> [String] {
    var ids: [String] = []
    for reference in self {
      let id = try await reference.id(session)
      if !ids.contains(id) { ids.append(id) }
    }
    return ids
  }
}

/// A record named by its id, or by a name that only one record has.
protocol NameReference: RecordReference {
  /// What it names.
  associatedtype Target: Identified

  /// The records with this name or a similar one.
  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate]
  /// The deleted records.
  func deletedCandidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate]
  /// The ids that are meant if the text is an id, or a part of one.
  func identified(_ session: Session, isDeleted: Bool) async throws(Failure) -> [String]
}

extension NameReference {
  func deletedCandidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] { [] }

  func identified(_ session: Session, isDeleted: Bool) async throws(Failure) -> [String] {
    guard !UUIDv7.isID(self.text) else { return [self.text] }
    return try await IDText(text: self.text, kind: Target.idKind).candidates(session, isDeleted: isDeleted) ?? []
  }

  func id(_ session: Session) async throws(Failure) -> String {
    try await self.match(session, isExact: false, isDeleted: false)
  }

  func deletedID(_ session: Session) async throws(Failure) -> String {
    try await self.match(session, isExact: true, isDeleted: true)
  }

  /// The id of the record with exactly this name, for commands that must not affect a record with a similar name.
  func exactID(_ session: Session) async throws(Failure) -> String {
    try await self.match(session, isExact: true, isDeleted: false)
  }

  /// A name comes before a part of an id: `Ada` is a person.
  func match(_ session: Session, isExact: Bool, isDeleted: Bool) async throws(Failure) -> String {
    guard !UUIDv7.isID(self.text) else {
      return try await self.identified(session, isDeleted: isDeleted).first ?? self.text
    }
    let candidates = try await isDeleted ? self.deletedCandidates(session) : self.candidates(session)
    return try await self.match(candidates, session, isExact: isExact, isDeleted: isDeleted)
  }

  /// The id of the only candidate that is meant, or of what has an id with this part.
  func match(
    _ candidates: [NameMatch.Candidate], _ session: Session, isExact: Bool, isDeleted: Bool = false
  ) async throws(Failure) -> String {
    let match = NameMatch(
      noun: Target.idNoun(session.language), candidates: candidates,
      list: Target.list, say: session.language)
    if match.exact(self.text).isEmpty {
      let ids = try await self.identified(session, isDeleted: isDeleted)
      if let first = ids.first, ids.count == 1 { return first }
      // No name is meant, so the ones with these ids are listed.
      if isDeleted, !ids.isEmpty { return try await RecordID<Target>(text: self.text).deletedID(session) }
      if ids.isEmpty, isDeleted || candidates.isEmpty, IDText(text: self.text, kind: Target.idKind).isLast {
        let sentence = IDText.none(match.noun, isDeleted: isDeleted, session.language)
        throw Failure.unknownRecord(self.text, sentence).worded
      }
    }
    await session.ids.learn(FindIdsReply.with { $0.ids = match.candidates.map(\.id) }, session)
    return isExact
      ? try match.exactID(of: self.text, session.ids) : try match.id(of: self.text, session.ids)
  }
}
