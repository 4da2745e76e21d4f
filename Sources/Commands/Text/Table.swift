/// Rows under headings, in columns that are as wide as their widest cell.
struct Table {
  private let headings: [String]
  private let alignments: [Printable.Alignment]
  private let hidesEmpty: Bool
  private var rows: [[String]] = []

  /// Begins a table.
  ///
  /// - Parameters:
  ///   - columns: Headings from left to right, each with the alignment of its cells.
  ///   - hidesEmpty: Whether columns without any text are left out.
  init(_ columns: [(String, Printable.Alignment)], hidesEmpty: Bool = false) {
    self.headings = columns.map(\.0)
    self.alignments = columns.map(\.1)
    self.hidesEmpty = hidesEmpty
  }

  /// Begins a table whose columns are all shown.
  init(_ columns: (String, Printable.Alignment)...) { self.init(columns) }

  /// Adds a row of as many cells as there are columns.
  mutating func add(_ cells: String...) { self.add(cells) }

  /// Adds a row of as many cells as there are columns.
  mutating func add(_ cells: [String]) { self.rows.append(cells.map(Printable.text)) }

  /// The lines, headings first; no spaces at their ends.
  func lines(_ style: Style) -> [String] {
    let shown = self.headings.indices.filter { column in
      !self.hidesEmpty || self.rows.contains { !$0[column].isEmpty }
    }
    let widths = self.headings.indices.map { column in
      ([self.headings] + self.rows).map { Printable.width($0[column]) }.max() ?? 0
    }
    func line(_ cells: [String]) -> String {
      let padded = shown.map { Printable.padded(cells[$0], to: widths[$0], alignment: self.alignments[$0]) }
      let line = padded.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
    return [style.bold(line(self.headings))] + self.rows.map(line)
  }
}

/// One record in full: a title, a line for each field, and longer text below.
struct Details {
  typealias Row = (label: String, value: String)

  let title: String
  /// Rows without a value are left out.
  let rows: [Row]
  /// Longer text below, ready for a terminal.
  var body: [String] = []

  func lines(_ style: Style) -> [String] {
    let rows = self.rows.filter { !$0.value.isEmpty }.map { (Printable.text($0.label), Printable.text($0.value)) }
    let width = rows.map { Printable.width($0.0) }.max() ?? 0
    return [style.bold(Printable.text(self.title))]
      + rows.map { "  \(Printable.padded($0.0, to: width, alignment: .left))  \($0.1)" }
      + (self.body.isEmpty ? [] : [""] + self.body.map { "  " + $0 })
  }
}
