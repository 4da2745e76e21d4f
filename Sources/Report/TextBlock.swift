internal import CPango

/// A text in lines of a width.
@safe final class TextBlock {
  /// One of its lines, in points.
  struct Line {
    let width: Double
    let ascent: Double
    let height: Double
  }

  /// Its lines from the first to the last.
  let lines: [Line]
  /// Whether it has characters that no font has.
  let hasUnknownCharacters: Bool
  // Freed once, by this object alone.
  private let layout: OpaquePointer

  /// Lays out a text.
  ///
  /// - Parameters:
  ///   - context: The context of the page, which outlives the block.
  ///   - font: As Pango describes fonts: "Sans Bold 9". The family is a name of fontconfig, which chooses other fonts
  ///     for characters that it lacks.
  ///   - width: In points; longer lines are broken between words, and within a word that does not fit.
  /// - Returns: Nil if Pango makes no layout.
  init?(_ text: String, context: OpaquePointer, font: String, width: Double) {
    // A new object, whose only reference is ours.
    guard let layout = unsafe pango_layout_new(context) else { return nil }
    unsafe self.layout = layout
    let description = unsafe pango_font_description_from_string(font)
    // The layout makes copies of the description and of the text.
    unsafe pango_layout_set_font_description(layout, description)
    unsafe pango_font_description_free(description)
    unsafe pango_layout_set_text(layout, text, Int32(text.utf8.count))
    unsafe pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
    unsafe pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    self.hasUnknownCharacters = unsafe pango_layout_get_unknown_glyphs_count(layout) > 0
    let count = unsafe pango_layout_get_line_count(layout)
    self.lines = (0..<count).map { index in
      var extents = PangoRectangle()
      // A line of the layout, which owns it; one rectangle is written.
      unsafe pango_layout_line_get_extents(pango_layout_get_line_readonly(layout, index), nil, &extents)
      let scale = Double(PANGO_SCALE)
      return Line(
        width: Double(extents.width) / scale, ascent: -Double(extents.y) / scale,
        height: Double(extents.height) / scale)
    }
  }

  // The reference that `init` got.
  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(self.layout)) }

  /// Draws a line with its left edge at a point of the baseline.
  ///
  /// - Parameter cairo: The canvas of the context.
  func draw(line index: Int, on cairo: OpaquePointer, x: Double, baseline: Double) {
    unsafe cairo_move_to(cairo, x, baseline)
    // A line of the layout, which owns it.
    unsafe pango_cairo_show_layout_line(cairo, pango_layout_get_line_readonly(self.layout, Int32(index)))
  }
}
