internal import ArgumentParser
internal import Bus
internal import KithMessages

/// Which calls are meant.
struct CallFilterOptions: ParsableArguments {
  @Option(help: "Only with this person: an id, or a name that only one person has.")
  var person: PersonReference?

  @Option(help: "Only from this day or time on.", transform: TimeText.pointOrDay)
  var from: TimeText?

  @Option(help: "Only up to the end of this day, or up to this time.", transform: TimeText.pointOrDay)
  var to: TimeText?

  @Option(help: "Only this emotion.")
  var emotion: Emotion?

  @Option(help: "Only with this tag.")
  var tag = ""

  @Option(help: "Only this state.")
  var state: SyncState?

  func filter(_ session: Session) async throws(Failure) -> CallFilter {
    var filter = CallFilter()
    if let person { filter.personID = try await person.id(session) }
    if let from { filter.from = try from.start(now: session.now, in: session.zone) }
    if let to { filter.to = try to.end(now: session.now, in: session.zone) }
    filter.emotion = self.emotion?.field ?? ""
    filter.tag = self.tag
    filter.syncState = self.state?.rawValue ?? ""
    return filter
  }
}

/// Where a record stands between here and the server.
enum SyncState: String, ExpressibleByArgument, CaseIterable {
  case pending, syncing, synced, failed, conflict
}
