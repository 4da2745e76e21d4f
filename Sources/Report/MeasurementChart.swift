internal import CareTally
internal import CivilTime
internal import KithMessages

/// The values of one kind over time, with axes and their unit: dots and a line; of blood pressure the upper and the lower value of each time,
/// joined; of fluids a bar for the sum of each day. In black and grey.
struct MeasurementChart {
  /// With its axes, in points.
  static let height = 150.0

  private struct Point {
    /// Nanoseconds since 1970.
    let instant: Int64
    let value: Double
    let lower: Double?
  }

  private let tally: MeasurementTally
  private let points: [Point]
  private let days: ClosedRange<Day>
  private let zone: Zone
  private let say: CareLanguage
  private let words: ReportWords

  init(
    _ tally: MeasurementTally, from first: Day, through last: Day, in zone: Zone, _ say: CareLanguage,
    _ words: ReportWords
  ) {
    self.tally = tally
    self.days = first...max(first, last)
    self.zone = zone
    self.say = say
    self.words = words
    self.points =
      tally.kind.isSummed
      // A bar stands in the middle of its day.
      ? tally.sums(in: zone).map {
        let (start, end) = (zone.start(of: $0.day), zone.start(of: $0.day.adding(days: 1)))
        return Point(instant: start + (end - start) / 2, value: Double($0.sum) / 1000, lower: nil)
      }
      : tally.values.map {
        Point(instant: $0.instant, value: Double($0.amount) / 1000, lower: $0.lower.map { Double($0) / 1000 })
      }
  }

  private static let left = 42.0
  private static let right = PageWriter.width - 6
  private static let top = 14.0
  private static let bottom = 130.0
  private static let small = "Sans 7"

  /// Draws it.
  func print(_ pages: PageWriter) {
    let top = pages.room(Self.height)
    let scale = self.scale
    func y(_ value: Double) -> Double {
      let share = (value - scale.least) / (scale.greatest - scale.least)
      return top + Self.bottom - share * (Self.bottom - Self.top)
    }
    let (start, end) = (
      self.zone.start(of: self.days.lowerBound), self.zone.start(of: self.days.upperBound.adding(days: 1))
    )
    func x(_ instant: Int64) -> Double {
      Self.left + Double(instant - start) / Double(end - start) * (Self.right - Self.left)
    }
    self.printAxes(pages, top: top, x, y)
    let places = self.points.map { PageWriter.Place(x: x($0.instant), y: y($0.value)) }
    if self.tally.kind.isSummed {
      let day = (Self.right - Self.left) / Double(self.days.upperBound.number - self.days.lowerBound.number + 1)
      for place in places {
        pages.bar(place.foot(at: top + Self.bottom), width: min(14, day * 0.6), height: top + Self.bottom - place.y)
      }
      return
    }
    if self.tally.kind != .bloodPressure { pages.path(places, width: 0.8) }
    for (point, place) in zip(self.points, places) {
      if let lower = point.lower {
        let end = PageWriter.Place(x: place.x, y: y(lower))
        pages.path([place, end], width: 0.8)
        pages.disc(end, isFilled: false)
      }
      pages.disc(place)
    }
  }

  private func printAxes(_ pages: PageWriter, top: Double, _ x: (Int64) -> Double, _ y: (Double) -> Double) {
    let (upper, lower) = (top + Self.top, top + Self.bottom)
    for tick in self.scale.ticks {
      let height = y(tick)
      pages.path(
        [.init(x: Self.left, y: height), .init(x: Self.right, y: height)], width: 0.3, isDashed: true, grey: 0.6)
      pages.label(
        .init(
          text: MeasurementTally.text(Int64((tick * 1000).rounded())), x: 0, width: Self.left - 4, font: Self.small,
          alignment: .right), at: height)
    }
    pages.path([
      .init(x: Self.left, y: upper), .init(x: Self.left, y: lower), .init(x: Self.right, y: lower),
    ])
    let pair = self.tally.kind == .bloodPressure ? self.say("   ● upper   ○ lower", "   ● 上   ○ 下") : ""
    pages.label(
      .init(text: self.tally.unit.onOneLine + pair, x: Self.left, width: Self.right - Self.left, font: Self.small),
      at: top + 4)
    let count = self.days.upperBound.number - self.days.lowerBound.number + 1
    let step = (count + 7) / 8
    for number in stride(from: self.days.lowerBound.number, through: self.days.upperBound.number, by: step) {
      let day = Day(number: number)
      let place = x(self.zone.start(of: day))
      pages.path([.init(x: place, y: lower), .init(x: place, y: lower + 3)])
      pages.label(.init(text: self.words.shortDay(day), x: place, width: 60, font: Self.small), at: lower + 9)
    }
  }

  /// The range of the values in round steps: at least two, at most six. Sums begin at 0.
  private var scale: (least: Double, greatest: Double, ticks: [Double]) {
    let all = self.points.map(\.value) + self.points.compactMap(\.lower) + (self.tally.kind.isSummed ? [0] : [])
    let (least, greatest) = (all.min() ?? 0, all.max() ?? 1)
    let span = max(greatest - least, max(abs(greatest), 1) * 0.01)
    var step = 0.01
    let factors = [2, 2.5, 2]
    var index = 0
    while span / step > 5 {
      step *= factors[index % 3]
      index += 1
    }
    let from = (least / step).rounded(.down)
    let to = max((greatest / step).rounded(.up), from + 1)
    return (from * step, to * step, stride(from: from, through: to, by: 1).map { $0 * step })
  }
}

extension PageWriter.Place {
  /// The place below, at a height of the page.
  fileprivate func foot(at y: Double) -> PageWriter.Place { .init(x: self.x, y: y) }
}
