internal import Bus
public import Storage

/// Reminds: once a day to record care, to call people, and of what the server keeps of them.
public actor ReminderActor {
  let storage: StorageActor

  /// Makes an actor.
  public init(storage: StorageActor) { self.storage = storage }
}
