internal import CPango
internal import Glibc

/// Fills A4 pages from top to bottom, and writes each full page to standard output.
@safe final class PageWriter {
  /// One text of a row.
  struct Cell {
    let text: String
    /// From the left margin, in points.
    let x: Double
    let width: Double
    var font = PageWriter.plain
    var alignment = Alignment.left
  }

  /// Where a text stands in its cell.
  enum Alignment {
    case left
    case centre
    case right

    /// How far the text is from the left edge, if it leaves so much of the width.
    func shift(_ rest: Double) -> Double {
      switch self {
      case .left: 0
      case .centre: rest / 2
      case .right: rest
      }
    }
  }

  static let plain = "Sans 9"
  static let bold = "Sans Bold 9"
  /// Between the margins, in points.
  static let width = 595.28 - 2 * PageWriter.margin

  private static let height = 841.89
  /// A row of no more points is not broken.
  private static let mostWhole = 60.0
  static let margin = 50.0

  /// Characters for which no font was found, in the order in which they came.
  private(set) var unknownCharacters: [Character] = []
  private var examined: Set<Character> = []
  private let surface: OpaquePointer
  let cairo: OpaquePointer
  private let context: OpaquePointer
  private let head: String
  private var y = PageWriter.margin
  private var page = 1

  /// Begins a document.
  ///
  /// - Parameters:
  ///   - title: The title that PDF readers show.
  ///   - language: Selects the regional forms of characters: "ja".
  ///   - head: One line above each page but the first: pages come apart.
  /// - Returns: Nil if cairo has no memory.
  init?(title: String, language: String, head: String = "") {
    self.head = head
    // The closure needs no context: it writes to standard output.
    let surface = unsafe cairo_pdf_surface_create_for_stream(
      { _, bytes, length in
        var written = 0
        while written < Int(length) {
          // The buffer is cairo's, and `length` long, until this returns.
          let count = unsafe write(STDOUT_FILENO, bytes?.advanced(by: written), Int(length) - written)
          if count < 0 && errno == EINTR { continue }
          guard count > 0 else { return CAIRO_STATUS_WRITE_ERROR }
          written += count
        }
        return CAIRO_STATUS_SUCCESS
      }, nil, 595.28, Self.height)
    guard let surface = unsafe surface, let cairo = unsafe cairo_create(surface),
      let context = unsafe pango_cairo_create_context(cairo)
    else { return nil }
    unsafe self.surface = surface
    unsafe self.cairo = cairo
    unsafe self.context = context
    // Both calls copy their text.
    unsafe cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
    unsafe pango_context_set_language(context, pango_language_from_string(language))
  }

  deinit {
    // Releases each reference of `init` once; the surface last, because the others draw on it.
    unsafe g_object_unref(UnsafeMutableRawPointer(self.context))
    unsafe cairo_destroy(self.cairo)
    unsafe cairo_surface_destroy(self.surface)
  }

  /// Prints texts side by side. A row of a few lines stays whole; a longer one that does not fit on the page continues on the next.
  ///
  /// - Parameters:
  ///   - gap: Points below it.
  ///   - following: Points that have to be free below its first line, so that no heading stands alone at the end of a page.
  ///   - repeated: Printed at the top of each page on which the row continues.
  func row(_ cells: [Cell], gap: Double = 3, following: Double = 0, repeating repeated: [Cell] = []) {
    let blocks = cells.map { (cell: $0, block: self.block($0)) }
    let count = blocks.map { $0.block?.lines.count ?? 0 }.max() ?? 0
    let whole = blocks.map { $0.block?.lines.reduce(0) { $0 + $1.height } ?? 0 }.max() ?? 0
    for index in 0..<count {
      let lines = blocks.map { $0.block.flatMap { index < $0.lines.count ? $0.lines[index] : nil } }
      let height = lines.map { $0?.height ?? 0 }.max() ?? 0
      let ascent = lines.map { $0?.ascent ?? 0 }.max() ?? 0
      let room = index == 0 ? max(height + following, min(whole, Self.mostWhole)) : height
      if self.y + room > Self.height - Self.margin {
        self.turn()
        if !repeated.isEmpty { self.row(repeated) }
      }
      for (item, line) in zip(blocks, lines) {
        guard let line, let block = item.block else { continue }
        let shift = item.cell.alignment.shift(item.cell.width - line.width)
        // The context was made for this canvas.
        unsafe block.draw(
          line: index, on: self.cairo, x: Self.margin + item.cell.x + shift, baseline: self.y + ascent)
      }
      self.y += height
    }
    self.y += gap
  }

  /// Prints one text over the whole width.
  func line(_ text: String, font: String = PageWriter.plain, gap: Double = 3, following: Double = 0) {
    self.row([Cell(text: text, x: 0, width: Self.width, font: font)], gap: gap, following: following)
  }

  /// Leaves room for a picture, on the next page if there is not enough on this one.
  ///
  /// - Returns: The upper edge of the room, from the upper edge of the page.
  func room(_ height: Double) -> Double {
    if self.y + height > Self.height - Self.margin { self.turn() }
    defer { self.y += height }
    return self.y
  }

  /// Prints the first line of a text at a height of the page: its middle is there.
  func label(_ cell: Cell, at middle: Double) {
    guard let block = self.block(cell), let line = block.lines.first else { return }
    // The context was made for this canvas.
    unsafe block.draw(
      line: 0, on: self.cairo, x: Self.margin + cell.x + cell.alignment.shift(cell.width - line.width),
      baseline: middle + line.ascent - line.height / 2)
  }

  /// Leaves vertical space.
  func skip(_ points: Double) { self.y += points }

  /// Draws a thin line over the width.
  func rule() {
    unsafe cairo_set_line_width(self.cairo, 0.5)
    unsafe cairo_move_to(self.cairo, Self.margin, self.y)
    unsafe cairo_line_to(self.cairo, Self.margin + Self.width, self.y)
    unsafe cairo_stroke(self.cairo)
    self.y += 4
  }

  /// Says that characters could not be printed, if some could not.
  ///
  /// - Returns: A warning that names them; none if all were printed.
  func sayMissing(_ sentence: String) -> [String] {
    guard !self.unknownCharacters.isEmpty else { return [] }
    let characters = self.unknownCharacters.prefix(20).map { character in
      let numbers = character.unicodeScalars.map { "U+\(String($0.value, radix: 16, uppercase: true))" }
      return "\(character) (\(numbers.joined(separator: " ")))"
    }
    self.skip(8)
    self.line(sentence)
    return ["\(ReportWords.english.missing) \(characters.joined(separator: ", "))"]
  }

  /// Ends the last page and the document.
  ///
  /// - Returns: Whether all of it was written.
  func finish() -> Bool {
    self.number()
    unsafe cairo_show_page(self.cairo)
    unsafe cairo_surface_finish(self.surface)
    return unsafe cairo_surface_status(self.surface) == CAIRO_STATUS_SUCCESS
      && cairo_status(self.cairo) == CAIRO_STATUS_SUCCESS
  }

  private func turn() {
    self.number()
    unsafe cairo_show_page(self.cairo)
    self.page += 1
    self.y = Self.margin
    if !self.head.isEmpty {
      self.label(Cell(text: self.head, x: 0, width: Self.width, font: "Sans 8"), at: Self.margin / 2)
    }
  }

  /// Prints the page number at the bottom.
  private func number() {
    let cell = Cell(text: "\(self.page)", x: 0, width: Self.width, font: Self.plain)
    guard let block = self.block(cell), let line = block.lines.first else { return }
    // The context was made for this canvas.
    unsafe block.draw(
      line: 0, on: self.cairo, x: Self.margin + (Self.width - line.width) / 2, baseline: Self.height - Self.margin / 2)
  }

  private func block(_ cell: Cell) -> TextBlock? {
    let block = unsafe TextBlock(cell.text, context: self.context, font: cell.font, width: cell.width)
    if block?.hasUnknownCharacters == true { self.noteUnknown(cell) }
    return block
  }

  /// Finds the characters of a text that no font has, checking each character once.
  private func noteUnknown(_ cell: Cell) {
    for character in cell.text where self.examined.insert(character).inserted {
      let block = unsafe TextBlock(String(character), context: self.context, font: cell.font, width: cell.width)
      if block?.hasUnknownCharacters == true { self.unknownCharacters.append(character) }
    }
  }
}
