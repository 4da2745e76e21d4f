package import ArgumentParser
internal import Foundation
internal import Synchronization

/// A command with its texts, its arguments and the commands below it, as the parser describes them.
package struct CommandTree: Sendable, Decodable {
  /// An argument, an option or a flag.
  package struct Argument: Sendable, Decodable {
    /// One spelling of an option.
    struct Name: Sendable, Decodable {
      let kind: String
      let name: String

      /// `--limit` or `-y`.
      var text: String { (self.kind == "long" ? "--" : "-") + self.name }
    }

    let kind: String
    let shouldDisplay: Bool
    let isOptional: Bool
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?
    let defaultValue: String?
    let allValues: [String]?
    /// What it is for.
    package let abstract: String?

    /// `<person>`, `--limit <limit>`, `-y, --yes`.
    var label: String {
      let value = "<\(self.valueName ?? "")>"
      guard let names else { return value }
      // Short spellings first.
      let spellings = (names.filter { $0.kind == "short" } + names.filter { $0.kind != "short" }).map(\.text)
      return spellings.joined(separator: ", ") + (self.kind == "option" ? " \(value)" : "")
    }
  }

  /// The word that is typed.
  package let commandName: String
  /// What it does.
  package let abstract: String?
  private let discussion: String?
  private let shouldDisplay: Bool?
  private let subcommands: [CommandTree]?
  /// Its arguments, also those that help does not show; nil if they were not read.
  package let arguments: [Argument]?

  private struct Dump: Decodable {
    let command: CommandTree
  }

  /// A command without those below it, as a program of its own: the parser describes a command only with everything below it.
  private struct Alone<Command: ParsableCommand>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { CommandConfiguration(version: "of the program") }

    @OptionGroup var command: Command
  }

  /// The trees that were read.
  private static let known = Mutex<[ObjectIdentifier: CommandTree]>([:])

  /// Reads the tree of a program, which takes longer than all else that help does, once.
  ///
  /// - Throws: `DecodingError` if the parser describes it in another form.
  package init(of program: (some ParsableCommand).Type) throws {
    let id = ObjectIdentifier(program)
    if let tree = Self.known.withLock({ $0[id] }) {
      self = tree
      return
    }
    self = try JSONDecoder().decode(Dump.self, from: Data(program._dumpHelp().utf8)).command
    Self.known.withLock { $0[id] = self }
  }

  /// The commands that words name, from the program down; other words are left out. Each has its arguments and the names of the commands
  /// below it. ``init(of:)`` reads the arguments of those as well, which takes ten times as long.
  ///
  /// - Throws: As ``init(of:)``.
  package static func path(in program: any ParsableCommand.Type, _ words: some Sequence<String>) throws -> [CommandTree]
  {
    var commands: [any ParsableCommand.Type] = [program]
    for word in words {
      let below = commands.last?.configuration.subcommands ?? []
      guard let next = below.first(where: { $0.configuration.shouldDisplay && $0.isNamed(word) }) else { continue }
      commands.append(next)
    }
    return try commands.enumerated().map { depth, command in
      let alone = try Self.alone(command)
      let below = command.configuration.subcommands.map { CommandTree($0) }
      // The parser gives each program the command `help`.
      return CommandTree(
        command, arguments: alone.arguments, subcommands: below + (depth == 0 ? alone.subcommands ?? [] : []))
    }
  }

  private static func alone<Command: ParsableCommand>(_ command: Command.Type) throws -> CommandTree {
    try JSONDecoder().decode(Dump.self, from: Data(Alone<Command>._dumpHelp().utf8)).command
  }

  private init(_ command: any ParsableCommand.Type, arguments: [Argument]? = nil, subcommands: [CommandTree]? = nil) {
    let configuration = command.configuration
    self.commandName = command._commandName
    self.abstract = configuration.abstract
    self.discussion = configuration.discussion
    self.shouldDisplay = configuration.shouldDisplay
    self.subcommands = subcommands
    self.arguments = arguments
  }

  /// The commands below it that help shows.
  package var commands: [CommandTree] { (self.subcommands ?? []).filter { $0.shouldDisplay ?? true } }

  /// The arguments that help shows.
  package var visibleArguments: [Argument] { (self.arguments ?? []).filter(\.shouldDisplay) }

  /// How the arguments that help shows are typed: `--limit`, `<person>`.
  package var spellings: [String] {
    self.visibleArguments.flatMap { argument in
      argument.names.map { $0.filter { $0.kind == "long" }.map(\.text) } ?? ["<\(argument.valueName ?? "")>"]
    }
  }

  /// What is said beyond the abstract, without examples; empty if nothing is.
  package var remarks: String {
    let lines = (self.discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    return lines.filter { !$0.hasPrefix(Self.exampleMark) }.joined(separator: "\n").trimmingCharacters(in: .newlines)
  }

  /// The command lines that help shows as examples.
  package var examples: [String] {
    (self.discussion ?? "").split(separator: "\n").filter { $0.hasPrefix(Self.exampleMark) }
      .map { String($0.dropFirst(Self.exampleMark.count)) }
  }

  private static let exampleMark = "Example: "

  /// The command below it that a mistyped word may mean; nil if none is near.
  package func command(near word: String) -> String? {
    EditDistance.nearest(to: word, among: self.commands.map(\.commandName))
  }

  /// The option that a mistyped one may mean, both with their hyphens; nil if none is near.
  package func option(near text: String) -> String? {
    let names = self.visibleArguments.flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
    return EditDistance.nearest(to: String(text.trimmingPrefix("--")), among: names).map { "--\($0)" }
  }
}

extension ParsableCommand {
  /// Whether a word names it.
  package static func isNamed(_ word: String) -> Bool {
    self._commandName == word || self.configuration.aliases.contains(word)
  }
}

/// How many letters have to be changed, with two that changed places as one.
enum EditDistance {
  /// The nearest of some words; nil if more than a third of the letters differ, or several and one of them is the first:
  /// `person` is not `version`.
  static func nearest(to word: String, among words: [String]) -> String? {
    words.map { ($0, Self.between(word, $0)) }.filter { near, distance in
      distance <= 1 || distance <= word.count / 3 && near.first == word.first
    }.min { $0.1 < $1.1 }?.0
  }

  static func between(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first), Array(second))
    var rows = [Array(0...second.count)]
    for (row, letter) in first.enumerated() {
      var next = [row + 1]
      for (column, other) in second.enumerated() {
        var least = min(next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        next.append(least)
      }
      rows.append(next)
    }
    return rows[first.count][second.count]
  }
}
