internal import ArgumentParser
internal import Bus

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
  func id(_ session: Session) async throws(Failure) -> String
}

extension RecordReference {
  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self.init(text: argument)
  }
}

/// A record named by its id.
struct RecordID: RecordReference {
  static let help = ArgumentHelp("The id, as lists show it.", valueName: "id")
  static let example = "0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10"

  let text: String

  func id(_ session: Session) async throws(Failure) -> String { self.text }

  /// Whether text has the form of an id, so that no search is needed: 36 characters in groups (RFC 9562, 4).
  static func isID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
  }
}

/// A record named by its id, or by a name that only one record has.
protocol NameReference: RecordReference {
  /// `person`, `contact`, `tag`.
  static var kind: String { get }

  /// The records with this name or a similar one.
  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate]
}

extension NameReference {
  func id(_ session: Session) async throws(Failure) -> String {
    try await self.match(session) { (match) throws(Failure) in try match.id(of: self.text) }
  }

  /// The id of the record with exactly this name, for commands that must not affect a record with a similar name.
  func exactID(_ session: Session) async throws(Failure) -> String {
    try await self.match(session) { (match) throws(Failure) in try match.exactID(of: self.text) }
  }

  private func match(
    _ session: Session, _ choose: (NameMatch) throws(Failure) -> String
  ) async throws(Failure) -> String {
    guard !RecordID.isID(self.text) else { return self.text }
    return try choose(NameMatch(kind: Self.kind, candidates: try await self.candidates(session)))
  }
}
