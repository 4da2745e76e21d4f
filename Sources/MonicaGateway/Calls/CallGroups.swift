internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// Puts calls, newest first, into groups by how long ago they were.
struct CallGroups {
  private let time: LocalTime
  private let today: CalendarDay

  /// - Parameter now: Nanoseconds since 1970.
  init(in time: LocalTime, now: Int64) {
    self.time = time
    self.today = time.day(now)
  }

  /// The groups in the order of the calls; one that a page breaks off goes on in the next under the same title.
  func group(_ calls: [Call]) -> [CallGroup] {
    var groups: [CallGroup] = []
    for call in calls {
      let title = self.title(of: self.time.day(call.calledAt.nanosecondsSince1970))
      if groups.last?.title != title {
        var group = CallGroup()
        group.title = title
        groups.append(group)
      }
      groups[groups.count - 1].calls.append(call)
    }
    return groups
  }

  /// "today", "yesterday", "this_week" since Monday, "earlier".
  func title(of day: CalendarDay) -> String {
    switch self.today.daysSince1970 - day.daysSince1970 {
    case ...0: "today"
    case 1: "yesterday"
    default: day >= self.today.monday ? "this_week" : "earlier"
    }
  }
}
