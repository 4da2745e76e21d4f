internal import KithMessages

extension RecordKind {
  /// The event stream of its changes.
  var stream: EventStream { EventStream.allCases.first { $0.name == self.rules.stream } ?? .people }

  /// Whether lists are ordered by name; otherwise by time.
  var isNamed: Bool { self.rules.isByName }

  /// Whether every record of the kind belongs to a person.
  var needsPerson: Bool { self.rules.owner == .person }

  /// Whether the server deletes it when it deletes its person.
  var goesWithPersonOnServer: Bool { !self.rules.outlivesPerson }

  /// Whether the server keeps our id of a record, by which an earlier attempt is found; others are found by what they say.
  var keepsOurID: Bool { [.person, .call, .conversation].contains(self) }

  /// The word for it in a sentence.
  var noun: String { self.name.split(separator: "_").joined(separator: " ") }

  /// The command that shows those of the kind.
  var list: String {
    switch self {
    case .person: "kith people list"
    case .conversation: "kith talk list"
    case .relationship: "kith relation list PERSON"
    case .contactField, .address, .reminder: "kith people show PERSON"
    case .note: "kith note list PERSON"
    case .call, .activity, .task, .gift, .tag: "kith \(self.name) list"
    }
  }
}
