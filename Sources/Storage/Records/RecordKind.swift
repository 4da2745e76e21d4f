internal import KithMessages

/// The kinds of records. The numbers stand in the database.
public enum RecordKind: Int, CaseIterable, Sendable {
  case person = 1
  case contactField, address, note, task, activity, gift, tag, relationship, reminder, call, conversation

  /// The name on the wire: "contact_field".
  public var name: String { self == .contactField ? "contact_field" : String(describing: self) }

  /// Finds a kind by its name on the wire; nil when there is none of that name.
  public init?(named name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// The message that the kind's records are.
  var type: any SyncedRecord.Type {
    switch self {
    case .person: Person.self
    case .contactField: ContactField.self
    case .address: PersonAddress.self
    case .note: Note.self
    case .task: TaskItem.self
    case .activity: Activity.self
    case .gift: Gift.self
    case .tag: Tag.self
    case .relationship: Relationship.self
    case .reminder: PersonReminder.self
    case .call: Call.self
    case .conversation: Conversation.self
    }
  }

  /// Where changes of the kind are told.
  var stream: EventStream {
    switch self {
    case .call: .calls
    case .conversation: .conversations
    default: .people
    }
  }

  /// Whether lists go by name, not by time.
  var isNamed: Bool { self == .person || self == .tag }

  /// Whether a record of the kind is always about somebody.
  var needsPerson: Bool {
    switch self {
    case .person, .tag, .task: false
    default: true
    }
  }

  /// Whether the server deletes it by itself with the person that it belongs to.
  var goesWithPersonOnServer: Bool { self != .activity }

  /// As a person calls it, for sentences.
  var noun: String {
    switch self {
    case .contactField: "contact field"
    case .tag, .relationship, .reminder, .person, .address, .note, .task, .activity, .gift, .call, .conversation:
      self.name
    }
  }
}
