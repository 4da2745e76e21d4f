internal import ArgumentParser
internal import Help

/// The command that was probably meant by a mistyped word.
enum Suggestion {
  /// The options of every command that have a value behind them.
  private static let optionsWithValue: Set = ["--runtime-dir", "--hub", "--key", "--server-key", "--columns"]

  /// A sentence for a command line whose first unknown word is near the name of a command; nil if there is none.
  static func sentence(for arguments: [String], below root: any ParsableCommand.Type, _ say: Language) -> String? {
    var command = root
    var path = Self.name(of: root)
    for (index, word) in arguments.enumerated() where !word.hasPrefix("-") {
      if index > 0, Self.optionsWithValue.contains(arguments[index - 1]) { continue }
      let choices = command.configuration.subcommands
      if let next = choices.first(where: { Self.name(of: $0) == word }) {
        (command, path) = (next, "\(path) \(word)")
        continue
      }
      guard let name = Self.nearest(to: word, among: choices.map { Self.name(of: $0) }) else { return nil }
      let word = Printable.text(word)
      return say(
        "`\(path)` has no command '\(word)'. Did you mean: \(path) \(name)",
        "「\(path)」に「\(word)」はありません。もしかして: \(path) \(name)")
    }
    return nil
  }

  private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }

  /// The name that is nearest to a word: at most two letters differ, or the word is its beginning.
  static func nearest(to word: String, among names: [String]) -> String? {
    let word = word.lowercased()
    let most = word.count < 4 ? 1 : 2
    let near = names.map { ($0, EditDistance.between(word, $0)) }.filter { $0.1 <= most }.min { $0.1 < $1.1 }?.0
    let begun = names.filter { word.count > 1 && $0.hasPrefix(word) }
    return near ?? (begun.count == 1 ? begun[0] : nil)
  }
}
