internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// Groups calls, newest first, by how long ago they were.
struct CallGroups {
  private let zone: Zone
  private let today: Day

  /// - Parameter now: Nanoseconds since 1970.
  init(in zone: Zone, now: Int64) {
    self.zone = zone
    self.today = zone.day(at: now)
  }

  /// The groups in the order of the calls. A group that is split between two pages has the same title on both.
  func group(_ calls: [Call]) -> [CallGroup] {
    var groups: [CallGroup] = []
    for call in calls {
      let title = self.title(of: self.zone.day(at: call.calledAt.nanosecondsSince1970))
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
  func title(of day: Day) -> String {
    switch self.today.number - day.number {
    case ...0: "today"
    case 1: "yesterday"
    default: day >= self.today.monday ? "this_week" : "earlier"
    }
  }
}
