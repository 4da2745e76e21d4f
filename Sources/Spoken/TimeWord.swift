internal import CivilTime

/// A part of a time as it is said: the day, the clock, the part of the day.
enum TimeWord: Sendable, Hashable {
  /// A part of a day.
  enum Part: Sendable, Hashable {
    case morning, noon, afternoon, evening

    /// Whether a time is of it, with the hour or two in which one still tells of it.
    func mayBe(_ time: TimeOfDay) -> Bool {
      switch self {
      case .morning: (4..<12).contains(time.hour)
      case .noon: (11..<17).contains(time.hour)
      case .afternoon: (12..<19).contains(time.hour)
      case .evening: time.hour >= 16 || time.hour < 2
      }
    }

    /// Whether a second of a day is of it.
    func has(_ second: Int) -> Bool {
      switch self {
      case .morning: second < 43_200
      case .noon: (11 * 3600...15 * 3600).contains(second)
      case .afternoon: (43_200..<19 * 3600).contains(second)
      case .evening: second >= 16 * 3600
      }
    }
  }

  case day(DayText)
  /// What a clock shows; if it may be of the morning or of the evening, `isSure` is false.
  case clock(secondOfDay: Int, isSure: Bool)
  /// A part of a day, perhaps of one counted from today.
  case part(Part, offset: Int?)
  /// Seconds from now.
  case fromNow(Int64)
}

/// The time that a sentence names, from its parts.
struct SpokenTime: Sendable {
  private var day: DayText?
  private var second: Int?
  private var isSure = true
  private var part: TimeWord.Part?
  private var offset: Int?
  private var seconds: Int64?
  /// Whether something is named twice.
  private var isDouble = false
  /// The meal that is named, which tells morning from evening.
  var meal: TimeWord.Part?

  /// - Parameter words: The parts, in their order.
  init(_ words: [TimeWord]) {
    for word in words {
      switch word {
      case .day(let day):
        self.isDouble = self.isDouble || self.day != nil && self.day != day
        self.day = day
      case .clock(let second, let isSure):
        self.isDouble = self.isDouble || self.second != nil
        (self.second, self.isSure) = (second, isSure)
      case .part(let part, let offset):
        self.isDouble = self.isDouble || self.part != nil && self.part != part
        self.part = part
        self.offset = offset ?? self.offset
      case .fromNow(let seconds):
        self.isDouble = self.isDouble || self.seconds != nil
        self.seconds = seconds
      }
    }
  }

  /// Whether nothing is named.
  var isEmpty: Bool {
    self.day == nil && self.second == nil && self.part == nil && self.seconds == nil
  }

  /// The one day that is named, without a time; nil if none is.
  ///
  /// - Throws: ``Doubt``, for a week.
  func dayAlone(_ listener: Listener, _ direction: DayText.Direction = .past) throws(Doubt) -> Day? {
    guard !self.isDouble else { throw .whichDay }
    if let day = self.day {
      guard day.isOneDay else { throw .whichDay }
      return day.days(today: listener.today, direction).lowerBound
    }
    return self.offset.map { listener.today.adding(days: $0) }
  }

  /// The moment at which something was done, in seconds since 1970; nil = now.
  ///
  /// - Throws: ``Doubt`` if the time is not sure, or has not come yet.
  func past(_ listener: Listener) throws(Doubt) -> Int64? {
    guard !self.isEmpty else {
      // Who tells of breakfast in the afternoon does not mean now.
      guard self.meal?.mayBe(listener.zone.time(at: listener.now * 1_000_000_000)) ?? true else { throw .whichTime }
      return nil
    }
    guard !self.isDouble else { throw .whichTime }
    if let seconds {
      guard self.day == nil, self.second == nil else { throw .whichTime }
      guard seconds <= 0 else { throw .notYet }
      return seconds == 0 ? nil : listener.now + seconds
    }
    let day = try self.dayAlone(listener) ?? listener.today
    guard day <= listener.today else { throw .notYet }
    guard self.second != nil else { throw .whichTime }
    let moments = try self.moments(on: day, listener)
    let come = moments.filter { $0.moment <= listener.now + 60 }
    if let only = come.first, come.count == 1, let other = moments.last, other.moment > only.moment {
      // Who says "at two" just before two is not sure to mean the night.
      guard only.second >= 6 * 3600, other.moment - listener.now >= 2 * 3600 else {
        throw .whichHalf(hour: only.second / 3600)
      }
    }
    return try self.one(of: come, none: .notYet)
  }

  /// The day and the time at which something is to be done; the time is nil if none is named.
  ///
  /// - Throws: ``Doubt`` if they are not sure, or have passed.
  func future(_ listener: Listener) throws(Doubt) -> (day: Day, time: TimeOfDay?) {
    guard !self.isEmpty, !self.isDouble else { throw .whichDay }
    if let seconds {
      guard self.day == nil, self.second == nil, seconds > 0 else { throw .whichDay }
      let local = listener.zone.local(at: (listener.now + seconds) * 1_000_000_000)
      return (local.day, local.time)
    }
    let day = try self.dayAlone(listener, .future) ?? listener.today
    guard day >= listener.today else { throw .whichDay }
    guard self.second != nil else {
      guard self.part == nil, day > listener.today else { throw .whichDay }
      return (day, nil)
    }
    let coming = try self.moments(on: day, listener).filter { $0.moment > listener.now }
    let moment = try self.one(of: coming, none: .whichDay)
    return (day, listener.zone.time(at: moment * 1_000_000_000))
  }

  /// A time of every day.
  ///
  /// - Throws: ``Doubt`` if it is not sure.
  func daily() throws(Doubt) -> TimeOfDay {
    guard self.day == nil, self.seconds == nil, !self.isDouble, let second else { throw .whichTime }
    let seconds = try self.candidates(second)
    guard seconds.count == 1 else { throw .whichHalf(hour: second / 3600) }
    guard let time = TimeOfDay(hour: seconds[0] / 3600, minute: seconds[0] / 60 % 60) else { throw .whichTime }
    return time
  }

  private typealias Moment = (second: Int, moment: Int64)

  private func moments(on day: Day, _ listener: Listener) throws(Doubt) -> [Moment] {
    var moments: [Moment] = []
    for second in try self.candidates(self.second ?? 0) {
      let instants = listener.zone.instants(of: day, second: second)
      // A time that clocks skip, or show twice.
      guard instants.count == 1 else { throw .whichTime }
      moments.append((second, instants[0] / 1_000_000_000))
    }
    return moments
  }

  private func one(of moments: [Moment], none: Doubt) throws(Doubt) -> Int64 {
    guard let last = moments.last else { throw none }
    guard moments.count > 1 else { return last.moment }
    // "At two" is not in the night while the afternoon is meant as well.
    guard moments[0].second < 6 * 3600 else { throw .whichHalf(hour: moments[0].second / 3600) }
    return last.moment
  }

  /// The seconds of a day that may be meant, in their order.
  private func candidates(_ second: Int) throws(Doubt) -> [Int] {
    let isMorning = second < 43_200 && second >= 3600
    var meant = self.isSure || !isMorning ? [second] : [second, second + 43_200]
    guard self.part != nil || self.meal != nil else { return meant }
    for part in [self.part, self.meal].compactMap(\.self) { meant = meant.filter(part.has) }
    guard meant.count == 1 else { throw .whichTime }
    return meant
  }
}
