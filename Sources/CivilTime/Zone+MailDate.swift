extension Zone {
  /// An instant as clocks here show it, in the form of mail: `Fri, 20 Nov 2026 21:00:00 +0900`. RFC 5322, 3.3.
  public func mailDate(at instant: Int64) -> String {
    let (date, time) = self.local(at: instant)
    let (year, month, day) = date.components
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // The offset is told in whole minutes; those of before the twentieth century had seconds.
    let offset = self.offset(at: instant) / 60
    let second = Int(instant).dividedDown(by: 1_000_000_000).quotient.dividedDown(by: 60).remainder
    let sign = offset < 0 ? "-" : "+"
    return "\(days[date.weekday]), \(day) \(months[month - 1]) \(year) \(time):\(second.padded()) "
      + "\(sign)\((abs(offset) / 60).padded())\((abs(offset) % 60).padded())"
  }
}
