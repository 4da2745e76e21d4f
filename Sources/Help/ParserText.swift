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
    func path() -> [CommandTree] {
      // `kith help people` is asked as `kith people --help` is.
      (try? CommandTree.path(in: program, arguments.filter { $0 != "help" })) ?? []
    }
    if text.hasPrefix("OVERVIEW: ") {
      let path = path()
      return path.isEmpty ? text : HelpPage(path, catalogue, columns: columns).text
    }
    guard !program.exitCode(for: error).isSuccess else { return text }
    return UsageError(parser: text, path: path).text(catalogue)
  }

  /// What is wrong with `kith help peple`; nil if its words are commands. The parser would print the help of `kith`.
  ///
  /// - Parameter arguments: The command line without the name of the program.
  package static func ofUnknownHelp(
    _ arguments: [String], _ program: (some ParsableCommand).Type, catalogue: Catalogue = .ofLocale()
  ) -> String? {
    guard let help = arguments.firstIndex(of: "help"),
      var path = try? CommandTree.path(in: program, arguments[..<help]), path.count == 1
    else { return nil }
    let words = arguments[(help + 1)...].prefix { !$0.hasPrefix("-") && $0 != "help" }
    for (index, word) in zip(words.indices, words) {
      guard let next = try? CommandTree.path(in: program, words[...index]), next.count > path.count else {
        return UsageError(unknown: word, path: path).text(catalogue)
      }
      path = next
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
}
