internal import ArgumentParser
internal import Bus
internal import KithClient
internal import KithMessages
internal import SwiftProtobuf

/// Words that a shell offers for an argument, from kithd: names, channels, ids. Quick, and silent while kithd is away.
enum Completion {
  /// Finds words that begin with what was typed; others may be among them, which the shell leaves out.
  typealias Source = @Sendable (_ typed: String, _ session: Session) async throws(Failure) -> [String]

  private static let most: UInt32 = 50

  /// The completion of an argument. A shell asks for it with `kith ---completion call log -- positional@0 ...`.
  static func of(_ source: @escaping Source) -> CompletionKind {
    .custom { (arguments: [String], _: Int, typed: String) async in
      let words = await Self.found(source, typed.filter { !"\\\"'".contains($0) }, arguments)
      return CompletionShell.requesting == .bash ? words.map(Self.quoted) : words
    }
  }

  private static func found(_ source: Source, _ typed: String, _ arguments: [String]) async -> [String] {
    let given = zip(arguments, arguments.dropFirst()).filter { ["--runtime-dir", "--hub", "--key"].contains($0.0) }
    guard let options = try? GlobalOptions.parse(given.flatMap { [$0.0, $0.1] }),
      let client = try? await options.connect(within: .seconds(1))
    else { return [] }
    let found = try? await source(typed, Session(client: client, console: .standard, options))
    await client.close()
    return (found ?? []).map(Printable.text).filter { !$0.isEmpty }
  }

  /// bash expands the words of `compgen -W` as it expands a command line, and names come from other people: bash(1), Programmable
  /// Completion.
  private static func quoted(_ word: String) -> String {
    // By scalars: some letters of other scripts make one character with the sign that follows them.
    var quoted = String.UnicodeScalarView()
    for scalar in word.unicodeScalars {
      if scalar.isASCII, !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar), scalar != " " {
        quoted.append("\\")
      }
      quoted.append(scalar)
    }
    return String(quoted)
  }

  static let people = Completion.of { (typed, session) throws(Failure) in try await Self.names(typed, session).people }

  static let contacts = Completion.of { (typed, session) throws(Failure) in
    try await Self.names(typed, session).contacts
  }

  static let anyone = Completion.of { (typed, session) throws(Failure) in
    let names = try await Self.names(typed, session)
    return names.people + names.contacts.filter { !names.people.contains($0) }
  }

  static let tags = Completion.of { (_, session) throws(Failure) in
    try await session.askAll(ListTagsRequest()).tags.map(\.name)
  }

  static let channels = Completion.of { (_, session) throws(Failure) in
    try await session.ask(ListChannelsRequest()).channels.map(\.name)
  }

  static let sources = Completion.of { (_, session) throws(Failure) in
    try await session.ask(ListSourcesRequest()).sources.map(\.name)
  }

  /// The ends of ids: of what was typed, else of the newest.
  static func ids(_ kind: String) -> CompletionKind {
    Self.of { (typed, session) throws(Failure) in
      var request = FindIdsRequest()
      request.kind = kind
      if typed.utf8.count >= 4 { request.piece = typed }
      let ids = try await session.ask(request).ids
      return try await session.ask(ShortenIdsRequest.with { $0.ids = ids }).ends + [IDText.last]
    }
  }

  private static func names(
    _ typed: String, _ session: Session
  ) async throws(Failure) -> (people: [String], contacts: [String]) {
    guard typed.isEmpty else {
      let hits = try await session.ask(
        WhoRequest.with {
          $0.text = typed
          $0.limit = Self.most
        }
      ).hits
      return (hits.filter(\.hasPerson).map(\.shownName), hits.filter(\.hasContact).map(\.contact.shownName))
    }
    let people = try await session.ask(ListPeopleRequest.with { $0.limit = Self.most }).people
    let contacts = try await session.ask(ListContactsRequest.with { $0.limit = Self.most }).contacts
    return (people.map(\.displayName), contacts.map(\.shownName))
  }
}
