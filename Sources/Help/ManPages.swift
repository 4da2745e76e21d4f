package import Bus
internal import Foundation
internal import KithMessages

/// The manual of a program: a page for itself, and one for each of its commands with what is below it. man-pages(7), man(7).
package struct ManPages {
  private let program: CommandTree
  private let section: Int

  /// - Parameter section: Of the manual: 1 for commands of users, 8 for daemons.
  package init(of program: CommandTree, section: Int) {
    self.program = program
    self.section = section
  }

  /// Writes every page into a folder, which is made if it is missing. Pages of earlier versions are replaced.
  ///
  /// - Throws: `FAILED_PRECONDITION/FILE_NOT_WRITTEN`.
  package func write(to folder: String) throws(Failure) {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for (name, text) in self.pages {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).\(self.section)"), options: .atomic)
      }
    } catch {
      throw Failure(
        .failedPrecondition, "FILE_NOT_WRITTEN",
        "The manual was not written to \(folder): \(error.localizedDescription) Check the folder and your rights.")
    }
  }

  /// The pages by their names without the section.
  package var pages: [(name: String, text: String)] {
    let own = self.program.commandName
    let below = self.program.commands.filter { $0.commandName != "help" }
    let see = below.map { "\(own)-\($0.commandName)" }
    let overview = below.isEmpty ? [] : self.overview(below)
    return [(own, self.page(own, [self.program], overview, see: see))]
      + below.map { command in
        let name = "\(own)-\(command.commandName)"
        return (name, self.page(name, [self.program, command], self.commands([self.program, command]), see: [own]))
      }
  }

  private func page(_ name: String, _ path: [CommandTree], _ commands: [String], see: [String]) -> String {
    guard let command = path.last else { return "" }
    var lines = [
      ".TH \"\(Self.plain(name.uppercased()))\" \(self.section) \"\" \"kith \(Self.plain(SoftwareVersion.current))\" \"Kith\"",
      ".SH NAME", "\(Self.plain(name)) \\- \(Self.plain(command.abstract ?? ""))",
      ".SH SYNOPSIS", ".B \(Self.plain(HelpPage.synopsis(path)))",
    ]
    if !command.remarks.isEmpty { lines += [".SH DESCRIPTION"] + Self.paragraph(command.remarks) }
    lines += Self.options(".SH", "OPTIONS", command) + commands
    if !command.examples.isEmpty { lines += [".SH EXAMPLES"] + Self.examples(command) }
    if !see.isEmpty {
      lines += [".SH SEE ALSO", see.map { ".BR \(Self.plain($0)) (\(self.section))" }.joined(separator: " ,\n")]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func overview(_ commands: [CommandTree]) -> [String] {
    [".SH COMMANDS"]
      + commands.flatMap { [".TP", ".B \(Self.plain($0.commandName))"] + Self.paragraph($0.abstract ?? "") }
  }

  /// Everything below the last command of a path.
  private func commands(_ path: [CommandTree], isFirst: Bool = true) -> [String] {
    guard let command = path.last, !command.commands.isEmpty else { return [] }
    let common = Set(self.program.visibleArguments.map(\.label))
    var lines = isFirst ? [".SH COMMANDS"] : []
    for below in command.commands {
      lines.append(".SS \"\(Self.plain(HelpPage.synopsis(path + [below])))\"")
      lines += Self.paragraph(below.abstract ?? "")
      if !below.remarks.isEmpty { lines += [".PP"] + Self.paragraph(below.remarks) }
      lines += Self.rows(below.visibleArguments.filter { !common.contains($0.label) })
      if !below.examples.isEmpty { lines += [".PP", "Example:"] + Self.examples(below) }
      lines += self.commands(path + [below], isFirst: false)
    }
    return lines
  }

  private static func options(_ macro: String, _ title: String, _ command: CommandTree) -> [String] {
    command.visibleArguments.isEmpty ? [] : ["\(macro) \(title)"] + Self.rows(command.visibleArguments)
  }

  private static func rows(_ arguments: [CommandTree.Argument]) -> [String] {
    arguments.flatMap { [".TP", ".B \(Self.plain($0.label))"] + Self.paragraph($0.abstract ?? "") }
  }

  private static func examples(_ command: CommandTree) -> [String] {
    [".PP", ".nf", ".RS"] + command.examples.map(Self.plain) + [".RE", ".fi"]
  }

  private static func paragraph(_ text: String) -> [String] {
    text.split(separator: "\n").map { Self.plain(String($0)) }
  }

  /// Text that roff takes for text: no macro at its beginning, no escape in it, and hyphens that can be pasted. groff_char(7).
  private static func plain(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
      .replacing("'", with: "\\(aq").replacing("~", with: "\\(ti").replacing("^", with: "\\(ha")
      .replacing("`", with: "\\(ga")
    return escaped.hasPrefix(".") ? "\\&\(escaped)" : escaped
  }
}
