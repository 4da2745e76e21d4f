/// A line that shows how far something is.
struct ProgressBar: Sendable {
  private static let cells = 24

  let label: String
  let style: Style

  /// The line, without its end.
  ///
  /// - Parameters:
  ///   - fraction: 0 to 1; what is outside counts as the nearer end.
  ///   - note: Shown behind the bar.
  func line(fraction: Double, note: String = "") -> String {
    let share = min(1, max(0, fraction.isFinite ? fraction : 0))
    let filled = Int((share * Double(Self.cells)).rounded(.down))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.cells - filled)
    let percent = Printable.padded("\(Int((share * 100).rounded(.down)))%", to: 4, alignment: .right)
    return [self.label, self.style.good(bar), percent, Printable.text(note)].filter { !$0.isEmpty }.joined(
      separator: " ")
  }
}
