package import ArgumentParser
package import Bus

/// What a program says about its own use: help, and what was wrong with a command line.
package enum ParserText {
  /// The parser's text in the language of a catalogue, with the command that a mistyped word may mean.
  ///
  /// - Parameters:
  ///   - error: What the parser threw.
  ///   - arguments: The command line without the name of the program.
  package static func of(
    _ error: any Error, _ program: (some ParsableCommand).Type, arguments: [String],
    catalogue: Catalogue = .ofLocale(), columns: Int = Columns.ofTerminal
  ) -> String {
    let text = program.fullMessage(for: error)
    // Reading the tree takes longer than all the rest.
    func path() -> [CommandTree] {
      // `kith help people` is asked as `kith people --help` is.
      (try? CommandTree(of: program))?.path(arguments.filter { $0 != "help" }) ?? []
    }
    if text.hasPrefix("OVERVIEW: ") {
      let path = path()
      return path.isEmpty ? text : HelpPage(path, catalogue, columns: columns).text
    }
    guard !program.exitCode(for: error).isSuccess else { return text }
    return Self.translated(Self.suggesting(text, path), path, catalogue)
  }

  /// What is wrong with `kith help peple`; nil if its words are commands. The parser would print the help of `kith`.
  ///
  /// - Parameter arguments: The command line without the name of the program.
  package static func ofUnknownHelp(
    _ arguments: [String], _ program: (some ParsableCommand).Type, catalogue: Catalogue = .ofLocale()
  ) -> String? {
    guard let help = arguments.firstIndex(of: "help"), let tree = try? CommandTree(of: program),
      tree.path(arguments[..<help]).count == 1
    else { return nil }
    var path = [tree]
    for word in arguments[(help + 1)...].prefix(while: { !$0.hasPrefix("-") }) {
      guard let next = path.last?.commands.first(where: { $0.commandName == word }) else {
        let command = path.map(\.commandName).joined(separator: " ")
        let text = "Error: Unexpected argument '\(word)'\nUsage:\n  See '\(command) --help' for more information."
        return Self.translated(Self.suggesting(text) { path }, { path }, catalogue)
      }
      path.append(next)
    }
    return nil
  }

  /// `kith help --man FOLDER` writes the manual into a folder.
  ///
  /// - Returns: False if the command line asks for something else.
  /// - Throws: `FAILED_PRECONDITION/FILE_NOT_WRITTEN`.
  package static func writesManual(
    _ arguments: [String], of program: (some ParsableCommand).Type, section: Int
  ) throws(Failure) -> Bool {
    guard arguments.count == 3, arguments.starts(with: ["help", "--man"]), let tree = try? CommandTree(of: program)
    else { return false }
    try ManPages(of: tree, section: section).write(to: arguments[2])
    return true
  }

  /// Names the near command in place of `Unexpected argument 'peple'`, and of a value that the usual command does not take.
  private static func suggesting(_ text: String, _ path: () -> [CommandTree]) -> String {
    guard let end = text.firstIndex(of: "\n"),
      let mark = text[..<end].firstRange(of: /[Uu]nexpected arguments?:? '|The value '/), let command = path().last,
      !command.commands.isEmpty
    else { return text }
    let word = text[mark.upperBound..<end].prefix { $0 != "'" }
    guard let near = command.command(near: String(word)) else { return text }
    return "Error: Unexpected argument '\(word)'. Did you mean '\(near)'?" + text[end...]
  }

  /// Each part of an error: the message, the help of the argument, the usage, and where to read more.
  private static func translated(
    _ text: String, _ path: () -> [CommandTree], _ catalogue: Catalogue
  ) -> String {
    var parts: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let begins = ["Error: ", "Help:", "Usage:", "  See '"].contains { line.hasPrefix($0) }
      if begins || parts.isEmpty { parts.append(String(line)) } else { parts[parts.count - 1] += "\n" + line }
    }
    return parts.map { part in
      if part.hasPrefix("Error: ") {
        return catalogue("Error:") + " " + catalogue(String(part.dropFirst("Error: ".count)))
      }
      if part.hasPrefix("Usage:") { return "\(catalogue("Usage:")) \(HelpPage.synopsis(path(), catalogue))" }
      guard part.hasPrefix("Help:") else { return catalogue(part) }
      // Two spaces stand between the argument and what it is for.
      let body = part.dropFirst("Help:".count).drop { $0 == " " }
      guard let gap = body.firstRange(of: "  ") else { return part }
      return "\(catalogue("Help:"))  \(body[..<gap.lowerBound])  \(catalogue(String(body[gap.upperBound...])))"
    }.joined(separator: "\n")
  }
}
