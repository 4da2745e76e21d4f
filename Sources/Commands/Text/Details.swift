/// One thing in full: a title, a line for each thing that is known about it, and what is longer than a line.
struct Details {
  typealias Row = (label: String, value: String)

  let title: String
  /// Those without a value are left out.
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
