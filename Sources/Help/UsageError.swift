/// What is wrong with a command line, as a person reads it.
struct UsageError {
  /// In English, as the catalogue has it.
  private let sentence: String
  /// The argument that it is about, and behind two spaces what that is for; empty if there is none.
  private let help: Substring
  /// The command that was called, from the program down; empty if the error is not about how it is used.
  private let path: [CommandTree]

  /// Reads what the parser says: the sentence, the help of an argument, the usage, and where to read more.
  ///
  /// - Parameter path: Reads the command that was called, from the program down.
  init(parser text: String, path: () -> [CommandTree]) {
    let body = text.trimmingPrefix("Error: ")
    let usage = body.firstRange(of: "\nUsage:")
    let said = body[..<(usage?.lowerBound ?? body.endIndex)]
    let help = said.firstRange(of: "\nHelp:")
    self.path = usage == nil ? [] : path()
    self.help = help.map { said[$0.upperBound...].drop { $0 == " " } } ?? ""
    self.sentence = Self.suggesting(String(said[..<(help?.lowerBound ?? said.endIndex)]), self.path)
  }

  /// A word that is none of the commands at the end of a path.
  init(unknown word: String, path: [CommandTree]) {
    self.sentence = Self.unexpected(word, near: path.last?.command(near: word))
    self.help = ""
    self.path = path
  }

  /// The text in the language of a catalogue.
  func text(_ catalogue: Catalogue) -> String {
    var lines = ["\(catalogue("Error:")) \(catalogue(self.sentence))"]
    if let gap = self.help.firstRange(of: "  ") {
      let purpose = catalogue(String(self.help[gap.upperBound...]))
      lines.append("\(catalogue("Help:"))  \(self.help[..<gap.lowerBound])  \(purpose)")
    }
    guard !self.path.isEmpty else { return lines.joined(separator: "\n") }
    let command = self.path.map(\.commandName).joined(separator: " ")
    return
      (lines + [
        "\(catalogue("Usage:")) \(HelpPage.synopsis(self.path, catalogue))",
        catalogue("  See '\(command) --help' for more information."),
      ]).joined(separator: "\n")
  }

  /// The sentence with the near command or option. What the parser suggests may have no letter of what was typed.
  private static func suggesting(_ sentence: String, _ path: [CommandTree]) -> String {
    guard let command = path.last else { return sentence }
    if let option = sentence.wholeMatch(of: /Unknown option '(--[^']+)'.*/).map({ String($0.1) }) {
      return "Unknown option '\(option)'" + Self.suggestion(command.option(near: option))
    }
    let first = sentence.prefix { $0 != "\n" }
    guard let word = first.firstMatch(of: /(?:[Uu]nexpected arguments?:? |The value )'([^']*)/).map({ String($0.1) }),
      let near = command.command(near: word)
    else { return sentence }
    return Self.unexpected(word, near: near)
  }

  private static func unexpected(_ word: String, near: String?) -> String {
    "Unexpected argument '\(word)'" + Self.suggestion(near)
  }

  private static func suggestion(_ near: String?) -> String { near.map { ". Did you mean '\($0)'?" } ?? "" }
}
