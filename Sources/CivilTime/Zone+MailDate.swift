extension Zone {
  /// An instant as clocks here show it, in the form of mail: `Fri, 20 Nov 2026 21:00:00 +0900`. RFC 5322, 3.3.
  public func mailDate(at instant: Int64) -> String {
    let date = self.date(at: instant)
    let (year, month, day) = date.components
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // The offset is told in whole minutes; those of before the twentieth century had seconds.
    let offset = self.offset(at: instant) / 60
    let second = (Int(instant.quotientAndRemainder(dividingBy: 1_000_000_000).quotient) % 60 + 60) % 60
    let sign = offset < 0 ? "-" : "+"
    return "\(days[date.weekday]), \(day) \(months[month - 1]) \(year) \(self.time(at: instant)):\(Self.two(second)) "
      + "\(sign)\(Self.two(abs(offset) / 60))\(Self.two(abs(offset) % 60))"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
