internal import KithMessages

/// A person with the people related to them around: a picture in which each person leads to their page, and to the picture there.
///
/// It says nothing that the list of relationships beside it does not, so programs that read a page aloud pass it over.
enum RelationPicture {
  /// The most people around; the list has the rest.
  static let most = 12

  /// Where a person is in the picture.
  struct Place: Sendable, Hashable {
    let x: Int
    let y: Int
    let isLeft: Bool
  }

  static let width = 360
  private static let (row, radius, reach) = (56, 14, 64)

  /// The places of a number of people: one after the other to the right and to the left of the middle, on an arc.
  static func places(_ count: Int) -> [Place] {
    let rows = (count + 1) / 2
    return (0..<count).map { number in
      let (line, isLeft) = (number / 2, !number.isMultiple(of: 2))
      let lines = isLeft ? count / 2 : rows
      // Of people on one side, those in the middle are the farthest from the person.
      let fromMiddle = Double(2 * line + 1 - lines) / Double(max(lines, 1))
      let bow = Int((Double(Self.reach) * (1 - fromMiddle * fromMiddle / 2)).rounded())
      let y = Self.row / 2 + Self.row * line + (rows - lines) * Self.row / 2
      return Place(x: Self.width / 2 + (isLeft ? -bow : bow), y: y, isLeft: isLeft)
    }
  }

  /// The height of the picture of a number of people.
  static func height(_ count: Int) -> Int { Self.row * max(1, (count + 1) / 2) }

  /// The picture; nothing if nobody is related.
  static func html(of person: Person, _ relationships: [Relationship], _ view: PageView) -> HTML {
    let shown = Array(relationships.prefix(Self.most))
    guard !shown.isEmpty else { return "" }
    let (x, y) = ("\(Self.width / 2)", "\(Self.height(shown.count) / 2)")
    let places = Self.places(shown.count)
    let lines = HTML(places.map { "<line x1=\"\(x)\" y1=\"\(y)\" x2=\"\(String($0.x))\" y2=\"\(String($0.y))\"/>" })
    let people = HTML(zip(shown, places).map { Self.person($0, at: $1, view) })
    return """
      <svg class="relations" data-test="relations" viewBox="0 0 \(String(Self.width)) \(String(Self.height(shown.count)))" aria-hidden="true">\
      \(lines)<circle class="self" cx="\(x)" cy="\(y)" r="22"/><text class="self" x="\(x)" y="\(y)" dy="5" text-anchor="middle">\
      \(person.shownName.shortened(to: 4))</text>\(people)</svg>
      """
  }

  private static func person(_ relationship: Relationship, at place: Place, _ view: PageView) -> HTML {
    let (x, y) = ("\(place.x)", "\(place.y)")
    let textX = "\(place.x + (place.isLeft ? -1 : 1) * (Self.radius + 6))"
    let anchor = place.isLeft ? "end" : "start"
    let touch = "\(place.isLeft ? 0 : place.x - Self.radius)"
    let width = "\(place.isLeft ? place.x + Self.radius : Self.width - place.x + Self.radius)"
    return """
      <a href="/people/\(relationship.otherID)" tabindex="-1"><title>\(relationship.otherName)</title>\
      <rect x="\(touch)" y="\(String(place.y - 26))" width="\(width)" height="52"/>\
      <circle cx="\(x)" cy="\(y)" r="\(String(Self.radius))"/>\
      <text x="\(textX)" y="\(y)" text-anchor="\(anchor)">\(relationship.otherName.shortened(to: 12))</text>\
      <text class="type" x="\(textX)" y="\(y)" dy="15" text-anchor="\(anchor)">\(view[relation: relationship.type].shortened(to: 14))</text></a>
      """
  }
}

extension String {
  /// As much of the text as fits into a number of columns. A sign of Chinese or Japanese takes two.
  func shortened(to columns: Int) -> String {
    var (used, shown) = (0, "")
    for sign in self {
      used += sign.unicodeScalars.allSatisfy { $0.value < 0x1100 } ? 1 : 2
      guard used <= columns else { return shown + "…" }
      shown.append(sign)
    }
    return shown
  }
}
