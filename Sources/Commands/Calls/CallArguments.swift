internal import ArgumentParser
internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// A message with the content of a call.
protocol CallContent: SwiftProtobuf.Message {
  var durationMinutes: UInt32 { get set }
  var emotion: String { get set }
  var note: String { get set }
  var tags: [String] { get set }
  var theyCalled: Bool { get set }
}

extension Call: CallContent {}
extension CallTemplate: CallContent {}

/// The options that calls and call templates share.
struct CallContentOptions: ParsableArguments {
  /// Who called whom.
  enum Caller: String, EnumerableFlag {
    case theyCalled, iCalled
  }

  @Option(help: "How long it took, in minutes.")
  var duration: UInt32?

  @Option(help: EmotionArgument.help)
  var emotion: EmotionArgument?

  @Option(parsing: .unconditional, help: "What it was about, at most 5,000 characters.")
  var note: String?

  @Option(help: "A tag of one word; may be repeated. With `edit`, they replace all tags; '' removes all.")
  var tag: [String] = []

  @Flag(help: "Who called.")
  var caller: Caller?

  /// Sets the fields whose options were given.
  func fill<Record: CallContent>(_ changes: inout Changes<Record>) {
    changes.set(\.durationMinutes, "duration_minutes", self.duration)
    changes.set(\.emotion, "emotion", self.emotion?.field)
    changes.set(\.note, "note", self.note)
    changes.set(\.theyCalled, "they_called", self.caller.map { $0 == .theyCalled })
    changes.set(\.tags, "tags", all: self.tag)
  }
}

/// The options of a call.
struct CallArguments: RecordArguments {
  @OptionGroup var when: MomentOption

  @OptionGroup var content: CallContentOptions

  @Option(help: "A voice note or photo to keep with it; may be repeated.", completion: .file())
  var attach: [String] = []

  @Option(help: "With `edit`: the number of an attachment to remove, as `kith call show` counts them; may be repeated.")
  var detach: [Int] = []

  func fill(_ changes: inout Changes<Call>, _ session: Session) async throws(Failure) {
    changes.set(\.calledAt, "called_at", try self.when.moment(session))
    self.content.fill(&changes)
    guard !self.attach.isEmpty || !self.detach.isEmpty else { return }
    var attachments: [BlobRef] = []
    if !changes.record.id.isEmpty {
      var request = GetCallRequest()
      request.id = changes.record.id
      attachments = try await session.ask(request).attachments
    }
    if let wrong = self.detach.first(where: { !attachments.indices.contains($0 - 1) }) {
      throw .invalid(
        field: "attachments", "there is no number \(wrong) to remove: the call has \(attachments.count).")
    }
    attachments = attachments.enumerated().filter { !self.detach.contains($0.offset + 1) }.map(\.element)
    for path in self.attach { attachments.append(try await session.upload(path)) }
    changes.set(\.attachments, "attachments", attachments)
  }
}

/// The calls to show.
struct CallFilterOptions: ParsableArguments {
  @Option(help: "Only with this person: an id, or a name that only one person has.")
  var person: PersonReference?

  @OptionGroup var span: SpanOptions

  @Option(help: "Only this emotion.")
  var emotion: EmotionArgument?

  @Option(help: "Only with this tag.")
  var tag = ""

  @Option(help: "Only this state.")
  var state: SyncState?

  func filter(_ session: Session) async throws(Failure) -> CallFilter {
    var filter = CallFilter()
    if let person { filter.personID = try await person.id(session) }
    try self.span.fill(&filter, session)
    filter.emotion = self.emotion?.field ?? ""
    filter.tag = self.tag
    filter.syncState = self.state?.rawValue ?? ""
    return filter
  }
}
