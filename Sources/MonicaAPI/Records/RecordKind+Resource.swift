internal import KithMessages

extension RecordKind {
  /// The type that reads and writes the kind.
  ///
  /// - Parameter callsAreActivities: Whether the account stores its calls as activities.
  func resource(callsAreActivities: Bool) -> any WritableResource.Type {
    switch self {
    case .person: PersonResource.self
    case .contactField: ContactFieldResource.self
    case .address: AddressResource.self
    case .note: NoteResource.self
    case .task: TaskResource.self
    case .activity: callsAreActivities ? PlainActivityResource.self : ActivityResource.self
    case .gift: GiftResource.self
    case .tag: TagResource.self
    case .relationship: RelationshipResource.self
    case .reminder: ReminderResource.self
    case .call: callsAreActivities ? CallActivityResource.self : CallResource.self
    case .conversation: ConversationResource.self
    }
  }
}
