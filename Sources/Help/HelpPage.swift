/// The help of one command: what it does, an example, and everything that it takes.
package struct HelpPage {
  /// The program, the commands between, and the command itself.
  private let path: [CommandTree]
  private let catalogue: Catalogue
  private let columns: Int

  /// Prepares the page of the last command of a path, which begins with the program.
  package init(_ path: [CommandTree], _ catalogue: Catalogue, columns: Int) {
    self.path = path
    self.catalogue = catalogue
    self.columns = max(40, columns)
  }

  /// The page, its lines not wider than the terminal.
  package var text: String {
    guard let program = self.path.first, let command = self.path.last else { return "" }
    let common = Set(self.path.count > 1 ? program.visibleArguments.map(\.label) : [])
    let options = command.visibleArguments.filter { $0.names != nil }
    let own = options.filter { !common.contains($0.label) }
    var lines = Columns.wrapped(self.catalogue(command.abstract ?? ""), to: self.columns)
    lines += command.examples.map { self.catalogue("Example:") + " " + $0 }
    if !command.remarks.isEmpty { lines += [""] + Columns.wrapped(self.catalogue(command.remarks), to: self.columns) }
    lines += ["", self.catalogue("Usage:") + " " + Self.synopsis(self.path, self.catalogue)]
    lines += self.section("Arguments:", command.visibleArguments.filter { $0.names == nil }.map(self.row))
    lines += self.section("Options:", own.map(self.row))
    lines += self.section("Commands:", command.commands.map { ($0.commandName, self.catalogue($0.abstract ?? "")) })
    lines += self.section("Options of every command:", options.filter { common.contains($0.label) }.map(self.row))
    return lines.joined(separator: "\n")
  }

  /// How the last command of a path is typed.
  static func synopsis(_ path: [CommandTree], _ catalogue: Catalogue = .english) -> String {
    guard let command = path.last else { return "" }
    let required = command.visibleArguments.filter { $0.names != nil && !$0.isOptional }.map(\.label)
    let arguments = command.visibleArguments.filter { $0.names == nil }.map { argument in
      let label = argument.label + (argument.isRepeating ? " ..." : "")
      return argument.isOptional ? "[\(label)]" : label
    }
    let below = command.commands.isEmpty ? [] : ["<\(catalogue("command"))>"]
    let words = path.map(\.commandName) + ["[\(catalogue("options"))]"]
    return (words + required + arguments + below).joined(separator: " ")
  }

  private func row(_ argument: CommandTree.Argument) -> (String, String) {
    var text = argument.abstract.map(self.catalogue.callAsFunction) ?? ""
    if let values = argument.allValues, !values.isEmpty {
      text += " (\(self.catalogue("one of:")) \(values.joined(separator: ", ")))"
    }
    if let value = argument.defaultValue, !value.isEmpty { text += " (\(self.catalogue("default:")) \(value))" }
    return (argument.label, text)
  }

  /// A heading with rows of two columns; nothing without rows.
  private func section(_ heading: String, _ rows: [(String, String)]) -> [String] {
    guard !rows.isEmpty else { return [] }
    let indent = 26
    let lines = rows.flatMap { label, text in
      let body = Columns.wrapped(text, to: self.columns - indent)
      let start = "  " + label
      let fits = Columns.width(start) < indent
      let padding = String(repeating: " ", count: fits ? indent - Columns.width(start) : 0)
      let first = fits ? [start + padding + (body.first ?? "")] : [start]
      return first + body.dropFirst(fits ? 1 : 0).map { String(repeating: " ", count: indent) + $0 }
    }
    return ["", self.catalogue(heading)] + lines
  }
}
