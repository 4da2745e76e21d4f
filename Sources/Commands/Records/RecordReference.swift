internal import ArgumentParser
internal import Bus

/// How a command line names a record.
protocol RecordReference: ExpressibleByArgument, Sendable {
  /// What may be typed.
  static var help: ArgumentHelp { get }
  /// As it is typed in examples.
  static var example: String { get }

  /// As it was typed.
  var text: String { get }

  init(text: String)

  /// The id that is meant.
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

  /// Whether text has the form of an id, so that nobody needs to be looked for: 36 characters in groups (RFC 9562, 4).
  static func isID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
  }
}

/// A record named by its id, or by a name that no other has.
protocol NameReference: RecordReference {
  /// `person`, `contact`, `tag`.
  static var kind: String { get }

  /// Those that go by the name, or nearly.
  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate]
}

extension NameReference {
  func id(_ session: Session) async throws(Failure) -> String {
    try await self.match(session) { (match) throws(Failure) in try match.id(of: self.text) }
  }

  /// The same for what must not happen to somebody with nearly the same name.
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
