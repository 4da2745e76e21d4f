/// Rows under headings, in columns that are as wide as their widest cell.
struct Table {
  private let headings: [String]
  private let alignments: [Printable.Alignment]
  private let hidesEmpty: Bool
  private var rows: [[String]] = []

  /// Begins a table.
  ///
  /// - Parameters:
  ///   - columns: Headings from left to right, each with where its cells stand.
  ///   - hidesEmpty: Whether columns without any text are left out.
  init(_ columns: [(String, Printable.Alignment)], hidesEmpty: Bool = false) {
    self.headings = columns.map(\.0)
    self.alignments = columns.map(\.1)
    self.hidesEmpty = hidesEmpty
  }

  /// Begins a table of columns that all are shown.
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
