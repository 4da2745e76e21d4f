import ArgumentParser
import DaemonCommands
import Help
import Testing

@testable import Commands

@Suite("Help in both languages, and the manual")
struct HelpTests {
  private static let japanese = Catalogue.japanese()

  private static func trees() throws -> [CommandTree] {
    [try CommandTree(of: KithCommand.self), try CommandTree(of: Kithd.self)]
  }

  private static func texts(_ tree: CommandTree) -> [String] {
    let own = [tree.abstract ?? "", tree.remarks] + tree.visibleArguments.map { $0.abstract ?? "" }
    return own.filter { !$0.isEmpty } + tree.commands.flatMap(self.texts)
  }

  private static func paths(_ path: [CommandTree]) -> [[CommandTree]] {
    [path] + (path.last?.commands ?? []).flatMap { self.paths(path + [$0]) }
  }

  @Test("Every text of kith and kithd has a translation in Sources/HelpTexts/ja.po")
  func translated() throws {
    let missing = Set(try Self.trees().flatMap(Self.texts)).filter { Self.japanese.translation(of: $0) == nil }
    #expect(missing.isEmpty, "\(missing.sorted())")
  }

  @Test(
    "Each page begins with what the command does and an example, and fits on the terminal", arguments: [60, 100])
  func pages(columns: Int) throws {
    for path in try Self.trees().flatMap({ Self.paths([$0]) }) where path.last?.commandName != "help" {
      for catalogue in [Catalogue.english, Self.japanese] {
        let lines = HelpPage(path, catalogue, columns: columns).text.split(separator: "\n").map(String.init)
        let example = lines.firstIndex { $0.hasPrefix(catalogue("Example:")) } ?? 99
        let abstract = Columns.wrapped(catalogue(path.last?.abstract ?? ""), to: columns)
        #expect(example == abstract.count && Array(lines.prefix(example)) == abstract, "\(path.map(\.commandName))")
        // A command line and a word that nothing breaks may be longer.
        let wide = lines.filter { line in
          Columns.width(line) > columns && !line.hasPrefix(catalogue("Example:"))
            && !line.hasPrefix(catalogue("Usage:"))
            && line.drop { $0 == " " }.contains(" ")
        }
        #expect(wide.isEmpty, "\(wide)")
      }
    }
  }

  @Test("A command that is read by itself is the one that the parser describes with the whole program")
  func alone() throws {
    for program in [KithCommand.self, Kithd.self] as [any ParsableCommand.Type] {
      // One of eight, and the program itself.
      let paths = Self.paths([try Self.tree(of: program)]).filter { $0.last?.commandName != "help" }
      for (index, path) in paths.enumerated() where index.isMultiple(of: 8) {
        let alone = try CommandTree.path(in: program, path.dropFirst().map(\.commandName))
        #expect(alone.map(\.commandName) == path.map(\.commandName))
        #expect(HelpPage(alone, .english, columns: 80).text == HelpPage(path, .english, columns: 80).text)
      }
    }
  }

  private static func tree(of program: (some ParsableCommand).Type) throws -> CommandTree {
    try CommandTree(of: program)
  }

  private func said(_ arguments: String..., in catalogue: Catalogue) async -> String {
    do {
      _ = try await KithCommand.asyncParseAsRoot(arguments)
      return ""
    } catch {
      return ParserText.of(error, KithCommand.self, arguments: arguments, catalogue: catalogue, columns: 80)
    }
  }

  @Test("A mistyped noun or command suggests the near one")
  func suggestions() async throws {
    #expect(
      await self.said("peple", in: .english).hasPrefix(
        "Error: Unexpected argument 'peple'. Did you mean 'people'?\nUsage:"))
    #expect(await self.said("people", "shwo", "ann", in: .english).contains("'shwo'. Did you mean 'show'?"))
    #expect(await self.said("peple", in: Self.japanese).hasPrefix("エラー: 'peple' はありません。'people' ではありませんか?\n使い方:"))
    #expect(await !self.said("qqqq", in: .english).contains("Did you mean"))
    #expect(await self.said("plan", "giv", "aspirin", in: .english).contains("'giv'. Did you mean 'give'?"))
    #expect(
      ParserText.ofUnknownHelp(["help", "call", "lgo"], KithCommand.self, catalogue: .english)?
        .hasPrefix("Error: Unexpected argument 'lgo'. Did you mean 'log'?\nUsage: kith call") == true)
    #expect(ParserText.ofUnknownHelp(["help", "call", "log"], KithCommand.self, catalogue: .english) == nil)
    #expect(ParserText.ofUnknownHelp(["help", "help"], KithCommand.self, catalogue: .english) == nil)
    #expect(ParserText.ofUnknownHelp(["help", "plan", "list"], KithCommand.self, catalogue: .english) == nil)
    let words = ["plan", "list"]
    #expect(try CommandTree.path(in: KithCommand.self, words).last?.commandName == "items")
    #expect(try await KithCommand.asyncParseAsRoot(words) is ListPlanItemsCommand)
  }

  @Test(
    "A mistyped option suggests the near one, and none that only has as few letters",
    arguments: [
      (["note", "add", "ann", "hi", "--at", "9:00"], "Unknown option '--at'"),
      (["note", "list", "--person", "ann"], "Unknown option '--person'"),
      (["contacts", "status", "--verison"], "Unknown option '--verison'. Did you mean '--version'?"),
      (["call", "list", "--hbu", "x"], "Unknown option '--hbu'. Did you mean '--hub'?"),
      (["call", "list", "--jason"], "Unknown option '--jason'. Did you mean '--json'?"),
      (["call", "list", "--kye", "x"], "Unknown option '--kye'. Did you mean '--key'?"),
      (["care", "list", "--catgory", "meal"], "Unknown option '--catgory'. Did you mean '--category'?"),
    ])
  func options(arguments: [String], sentence: String) async {
    do {
      _ = try await KithCommand.asyncParseAsRoot(arguments)
      Issue.record("\(arguments) is taken")
    } catch {
      let text = ParserText.of(error, KithCommand.self, arguments: arguments, catalogue: .english, columns: 80)
      let lines = text.split(separator: "\n")
      #expect(lines.first == "Error: \(sentence)")
      #expect(lines.last == "  See 'kith \(arguments[0]) \(arguments[1]) --help' for more information.")
    }
  }

  @Test(
    "Errors of the parser are Japanese",
    arguments: [
      (["people", "list", "--limt", "3"], "オプション '--limt' はありません。'--limit' ではありませんか?"),
      (["people", "list", "--unheard"], "オプション '--unheard' はありません。"),
      (["people", "list", "--limit"], "'--limit <limit>' の値がありません。"),
      (["people", "list", "--limit", "x"], "値 'x' は '--limit <limit>' に使えません。"),
      (["people", "show"], "'<person>' がありません。"), (["people", "show", "a", "b"], "'b' は余分です。"),
      (["people", "show", "a", "b", "c"], "余分な引数が 2 個あります: 'b', 'c'"),
      (["people", "list", "--all=1"], "オプション '--all' に値 '1' は付けられません。"),
      (["call", "log", "a", "--emotion", "x"], "値 'x' は '--emotion <emotion>' に使えません。次のどれかを指定してください:"),
      (["monica", "login"], "公開サーバー (--cloud) か自分のサーバー (--endpoint URL) の、どちらか一方を指定してください。"),
    ])
  func errors(arguments: [String], sentence: String) async {
    do {
      _ = try await KithCommand.asyncParseAsRoot(arguments)
      Issue.record("\(arguments) is taken")
    } catch {
      let text = ParserText.of(
        error, KithCommand.self, arguments: arguments, catalogue: Self.japanese, columns: 80)
      let lines = text.split(separator: "\n")
      #expect(lines.first == "エラー: \(sentence)")
      #expect(lines.last?.hasPrefix("  詳しくは: kith") == true && !text.contains("See '"))
    }
  }

  @Test("The catalogue reads what gettext writes")
  func catalogue() {
    let catalogue = Catalogue(
      po: """
        # A comment
        msgid ""
        msgstr "Language: ja\\n"

        msgid "one"
        "\\ntwo \\"three\\""
        msgstr ""
        "一"

        msgid "from {} to {}"
        msgstr "{} から {} まで"

        msgid "none yet"
        msgstr ""
        """)
    #expect(catalogue.translation(of: "one\ntwo \"three\"") == "一")
    #expect(catalogue("from Ann to Bob") == "Ann から Bob まで")
    #expect(catalogue.translation(of: "none yet") == nil && catalogue("none yet") == "none yet")
    #expect(catalogue("from Ann") == "from Ann")
  }

  @Test("Japanese breaks anywhere but before a stop")
  func wrapping() {
    #expect(Columns.wrapped("設定を表示します。", to: 16) == ["設定を表示しま", "す。"])
    #expect(Columns.wrapped("one two three", to: 8) == ["one two", "three"])
    #expect(Columns.wrapped("表示 list です", to: 9) == ["表示 list", "です"])
  }

  @Test("Every command is in the manual")
  func manual() throws {
    for tree in try Self.trees() {
      let pages = ManPages(of: tree, section: 1).pages
      #expect(Set(pages.map(\.name)).count == pages.count)
      for command in tree.commands where command.commandName != "help" {
        let page = try #require(pages.first { $0.name == "\(tree.commandName)-\(command.commandName)" })
        for below in command.commands { #expect(page.text.contains("\(command.commandName) \(below.commandName)")) }
      }
    }
  }
}
