internal import CivilTime

extension PartialDay {
  /// The date in words.
  func words(_ view: PageView) -> String {
    switch self {
    case .day(let day):
      let (year, month, number) = day.components
      return view.date(year: year, month: month, day: number)
    case .yearless(let month, let day): return view.date(year: nil, month: month, day: day)
    case .year(let year): return view[Text("about {year}", "{year}年頃"), ["year": "\(year)"]]
    }
  }
}
