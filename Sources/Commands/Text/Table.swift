internal import Bus
internal import Help
internal import KithMessages
internal import Synchronization

/// A column of a table.
struct Column: Sendable {
  private let english: String
  private let japanese: String
  /// What `--columns` calls it.
  let name: String
  let alignment: Printable.Alignment
  /// When it is left out of a table that is too wide: 1 goes first; nil stays.
  let drops: Int?
  /// Whether its cells may be broken into several lines.
  let wraps: Bool

  /// - Parameters:
  ///   - english: The heading.
  ///   - japanese: The heading in Japanese; nil = the same.
  ///   - name: Default: the English heading in lower case, with hyphens.
  init(
    _ english: String, _ japanese: String? = nil, _ alignment: Printable.Alignment = .left, name: String? = nil,
    drops: Int? = nil, wraps: Bool = false
  ) {
    self.english = english
    self.japanese = japanese ?? english
    self.name = name ?? english.lowercased().replacing(" ", with: "-")
    self.alignment = alignment
    self.drops = drops
    self.wraps = wraps
  }

  /// The heading in a language.
  func heading(_ say: Language) -> String { say(self.english, self.japanese) }

  /// What a person types for it in a language: its heading, or its name where that is empty.
  func choice(_ say: Language) -> String { say(self.name, self.japanese.isEmpty ? self.name : self.japanese) }

  /// Whether a word that was typed for `--columns` means this one: its name, or a heading.
  func isCalled(_ word: String) -> Bool {
    [self.name, self.english, self.japanese].contains { $0.lowercased() == word.lowercased() }
  }
}

/// Rows under headings, in columns that are as wide as their widest cell.
///
/// Where that is wider than the terminal, first the columns that wrap become narrow, then columns are left out in the order that they
/// state, and at last the widest cells are cut.
struct Table {
  private static let space = 2
  /// The most lines of a row.
  private static let mostLines = 3
  private static let narrow = (wrapping: 24, cut: 8)

  private let columns: [Column]
  private let hidesEmpty: Bool
  /// Where cells lead, by their text.
  var links: [String: ReachLink] = [:]
  private var rows: [[String]] = []

  /// Begins a table.
  ///
  /// - Parameters:
  ///   - columns: From left to right.
  ///   - hidesEmpty: Whether columns without any text are left out.
  init(_ columns: [Column], hidesEmpty: Bool = false) {
    self.columns = columns
    self.hidesEmpty = hidesEmpty
  }

  /// Adds a row of as many cells as there are columns.
  mutating func add(_ cells: String...) { self.add(cells) }

  /// Adds a row of as many cells as there are columns.
  mutating func add(_ cells: [String]) { self.rows.append(cells.map(Printable.text)) }

  /// The lines, headings first; no spaces at their ends.
  ///
  /// - Parameter indent: Columns of the terminal that are left free on the left.
  func lines(_ session: Session, indent: Int = 0) -> [String] {
    let (heading, rows, leftOut) = self.parts(session, indent: indent)
    return [heading] + rows.joined() + leftOut
  }

  /// The line of the headings, the lines of each row, and a line that names the columns that are left out.
  func parts(_ session: Session, indent: Int = 0) -> (heading: String, rows: [[String]], leftOut: [String]) {
    let (shown, widths, left) = self.layout(session, width: session.layout.width.map { $0 - indent })
    let style = session.console.style
    let say = session.language
    let names = left.map { self.columns[$0].choice(say) }.joined(separator: ", ")
    return (
      style.bold(self.line(self.columns.map { $0.heading(say) }, shown, widths)),
      self.rows.map { self.block($0, shown, widths, style) },
      left.isEmpty ? [] : [style.dim(say("Left out: \(names). --wide shows all.", "省いた列: \(names) (--wide ですべて表示)"))]
    )
  }

  /// The columns to show, the widths of all, and the columns that are left out.
  private func layout(_ session: Session, width: Int?) -> (shown: [Int], widths: [Int], leftOut: [Int]) {
    let chosen = session.layout.chosen(of: self.columns)
    var shown =
      chosen
      ?? self.columns.indices.filter { column in !self.hidesEmpty || self.rows.contains { !$0[column].isEmpty } }
    var widths = self.columns.indices.map { column in
      ([self.columns[column].heading(session.language)] + self.rows.map { $0[column] }).map(Printable.width).max() ?? 0
    }
    guard let width else { return (shown, widths, []) }
    func excess() -> Int { shown.map { widths[$0] }.reduce(0, +) + Self.space * (shown.count - 1) - width }
    for column in shown where self.columns[column].wraps {
      widths[column] = min(widths[column], max(Self.narrow.wrapping, widths[column] - max(0, excess())))
    }
    var leftOut: [Int] = []
    if chosen == nil {
      for column in shown.filter({ self.columns[$0].drops != nil })
        .sorted(by: { (self.columns[$0].drops ?? 0) < (self.columns[$1].drops ?? 0) }) where excess() > 0
      {
        shown.removeAll { $0 == column }
        leftOut.append(column)
      }
    }
    while excess() > 0, let widest = shown.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrow.cut {
      widths[widest] -= 1
    }
    // What was gained by columns that are left out goes to those that wrap.
    for column in shown where self.columns[column].wraps {
      let natural = self.rows.map { Printable.width($0[column]) }.max() ?? 0
      widths[column] = max(widths[column], min(natural, widths[column] - excess()))
    }
    return (shown, widths, leftOut.sorted())
  }

  /// The lines of one row.
  private func block(_ cells: [String], _ shown: [Int], _ widths: [Int], _ style: Style) -> [String] {
    var pieces = cells.map { [$0] }
    for column in shown where Printable.width(cells[column]) > widths[column] {
      guard self.columns[column].wraps else {
        pieces[column] = [Printable.shortened(cells[column], to: widths[column])]
        continue
      }
      let lines = Printable.wrapped(cells[column], to: widths[column])
      pieces[column] = Array(lines.prefix(Self.mostLines))
      if lines.count > Self.mostLines {
        let rest = lines[(Self.mostLines - 1)...].joined(separator: " ")
        pieces[column][Self.mostLines - 1] = Printable.shortened(rest, to: widths[column])
      }
    }
    return (0..<(shown.map { pieces[$0].count }.max() ?? 1)).map { index in
      // What is in pieces has no link: a part of it could mean something else.
      self.line(pieces.map { $0.indices.contains(index) ? $0[index] : "" }, shown, widths) { column, text in
        text == cells[column] ? style.link(text, self.links[text]) : text
      }
    }
  }

  private func line(
    _ cells: [String], _ shown: [Int], _ widths: [Int], _ link: (Int, String) -> String = { $1 }
  ) -> String {
    let padded = shown.map {
      Printable.padded(link($0, cells[$0]), to: widths[$0], alignment: self.columns[$0].alignment)
    }
    let line = padded.joined(separator: String(repeating: " ", count: Self.space))
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}

/// How tables are laid out.
struct TableLayout: Sendable {
  /// The columns of the terminal; nil = lines of any length, as in a pipe.
  var width: Int?
  /// The names of the columns to show; empty = as the table states.
  var columns: [String] = []
  private let known = KnownColumns()

  /// Lines of text, as wide as the terminal at most, but for commands to copy: a shell would take the pieces for two.
  func folded(_ lines: [String]) -> [String] {
    guard let width else { return lines }
    return lines.flatMap { $0.hasPrefix("kith ") ? [$0] : Columns.folded($0, to: width) }
  }

  /// The columns of a table that were asked for, in that order; nil if it has none of them.
  func chosen(of columns: [Column]) -> [Int]? {
    self.known.learn(columns)
    let chosen = self.columns.compactMap { word in columns.firstIndex { $0.isCalled(word) } }
    return chosen.isEmpty ? nil : chosen
  }

  /// Looks for the columns that were asked for in the tables that were laid out.
  ///
  /// - Throws: `INVALID_ARGUMENT/COLUMN_UNKNOWN` with the columns that there are, if none has one of them.
  func check(_ say: Language) throws(Failure) { try self.check(self.known.all, say) }

  /// Looks for the columns that were asked for among those of a table; of no table everything is right.
  ///
  /// - Throws: As ``check(_:)``.
  func check(_ known: [Column], _ say: Language) throws(Failure) {
    guard !known.isEmpty, let word = self.columns.first(where: { word in !known.contains { $0.isCalled(word) } })
    else { return }
    let names = known.map { $0.choice(say) }.filter { !$0.isEmpty }
    let list = names.enumerated().filter { names.firstIndex(of: $1) == $0 }.map(\.element).joined(separator: ", ")
    let typed = Printable.text(word)
    throw Failure(
      .invalidArgument, Self.unknownColumn,
      say("There is no column \"\(typed)\". There are: \(list)", "「\(typed)」という列はありません。選べる列: \(list)")
    ).worded
  }

  /// The reason where there is no such column.
  static let unknownColumn = "COLUMN_UNKNOWN"
}

/// The columns of the tables that one command prints.
private final class KnownColumns: Sendable {
  private let columns = Mutex<[Column]>([])

  var all: [Column] { self.columns.withLock { $0 } }

  func learn(_ columns: [Column]) { self.columns.withLock { $0 += columns } }
}

/// One record in full: a title, a line for each field, and longer text below.
struct Details {
  typealias Row = (label: String, value: String)

  let title: String
  /// Rows without a value are left out.
  let rows: [Row]
  /// Longer text below, ready for a terminal.
  var body: [String] = []
  /// Where values lead, by their text.
  var links: [String: ReachLink] = [:]

  /// The lines; values that are wider than the terminal go on below their beginning.
  ///
  /// - Parameter indent: Columns of the terminal that are left free on the left.
  func lines(_ session: Session, indent: Int = 0) -> [String] {
    let rows = self.rows.filter { !$0.value.isEmpty }.map { (Printable.text($0.label), Printable.text($0.value)) }
    let width = rows.map { Printable.width($0.0) }.max() ?? 0
    let room = session.layout.width.map { max(20, $0 - indent - width - 4) } ?? .max
    return [session.console.style.bold(Printable.text(self.title))]
      + rows.flatMap { label, value in
        Columns.wrapped(value, to: room).enumerated().map { index, line in
          // A line that is too wide is broken later, and a link with it.
          let isWhole = line == value && Printable.width(line) <= room
          let shown = isWhole ? session.console.style.link(line, self.links[value]) : line
          return "  \(Printable.padded(index == 0 ? label : "", to: width, alignment: .left))  \(shown)"
        }
      }
      + (self.body.isEmpty ? [] : [""] + self.body.map { "  " + $0 })
  }
}
