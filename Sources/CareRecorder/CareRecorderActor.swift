internal import Bus
public import Storage

/// Records home care, spoken or typed, and never loses what was recorded.
public actor CareRecorderActor {
  let storage: StorageActor

  /// Makes an actor.
  public init(storage: StorageActor) { self.storage = storage }
}
