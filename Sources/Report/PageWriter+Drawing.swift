internal import CPango

/// Lines and signs of a picture. Places are in points, from the left margin and from the upper edge of the page.
extension PageWriter {
  /// A place on a page.
  struct Place {
    let x: Double
    let y: Double
  }

  /// Draws lines from place to place.
  func path(_ places: [Place], width: Double = 0.5, isDashed: Bool = false, grey: Double = 0) {
    guard let first = places.first else { return }
    // The canvas copies the two lengths.
    unsafe cairo_set_dash(self.cairo, [2, 2], isDashed ? 2 : 0, 0)
    unsafe cairo_set_line_width(self.cairo, width)
    unsafe cairo_set_source_rgb(self.cairo, grey, grey, grey)
    unsafe cairo_new_path(self.cairo)
    unsafe cairo_move_to(self.cairo, Self.margin + first.x, first.y)
    for place in places.dropFirst() { unsafe cairo_line_to(self.cairo, Self.margin + place.x, place.y) }
    unsafe cairo_stroke(self.cairo)
    self.reset()
  }

  /// Draws a disc, or a ring with white in it.
  func disc(_ place: Place, radius: Double = 2, isFilled: Bool = true) {
    for (grey, isLine) in isFilled ? [(0.0, false)] : [(1, false), (0, true)] {
      unsafe cairo_set_source_rgb(self.cairo, grey, grey, grey)
      unsafe cairo_set_line_width(self.cairo, 0.7)
      unsafe cairo_new_path(self.cairo)
      unsafe cairo_arc(self.cairo, Self.margin + place.x, place.y, radius, 0, 2 * Double.pi)
      if isLine { unsafe cairo_stroke(self.cairo) } else { unsafe cairo_fill(self.cairo) }
    }
    self.reset()
  }

  /// Draws a grey bar that stands on a place.
  func bar(_ foot: Place, width: Double, height: Double) {
    unsafe cairo_set_source_rgb(self.cairo, 0.55, 0.55, 0.55)
    unsafe cairo_new_path(self.cairo)
    unsafe cairo_rectangle(self.cairo, Self.margin + foot.x - width / 2, foot.y - height, width, height)
    unsafe cairo_fill(self.cairo)
    self.reset()
  }

  /// Black and without dashes, as texts and rules are.
  private func reset() {
    unsafe cairo_set_source_rgb(self.cairo, 0, 0, 0)
    unsafe cairo_set_dash(self.cairo, nil, 0, 0)
  }
}
