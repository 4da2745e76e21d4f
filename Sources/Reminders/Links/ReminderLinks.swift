internal import Bus
internal import Digest
internal import KithMessages
internal import Secrets

/// The key by which links in messages about reminders are signed. It is made when it is first needed, and kept with the secrets.
actor ReminderLinks {
  private static let secret = "reminder-links"
  private static let keyBytes = 32

  private let secrets: any SecretStore
  private let door: @Sendable () async -> String
  private var known: Task<Result<HMACKey, Failure>, Never>?

  /// Makes them.
  ///
  /// - Parameters:
  ///   - secrets: Where the key is kept.
  ///   - door: The address of kith-web for people; empty = unknown.
  init(_ secrets: any SecretStore, door: @escaping @Sendable () async -> String) {
    self.secrets = secrets
    self.door = door
  }

  /// Adds to a message about a due reminder what can be done about it, and its page; nothing while no kith-web is known.
  ///
  /// - Throws: If there is no key, and none can be kept.
  func add(to notice: inout Notice, about reminder: Reminder, _ words: ReminderWords) async throws(Failure) {
    let address = await self.door()
    guard !address.isEmpty else { return }
    notice.link = "\(address)/reminders"
    let key = try await self.key()
    let made = notice.createdAt.nanosecondsSince1970
    for action in ReminderLink.Action.allCases where reminder.allows(action) {
      var offered = NoticeAction()
      offered.label = words.label(of: action)
      offered.address = "\(address)/remind/\(ReminderLink(action, reminder, made: made).text(key))"
      notice.actions.append(offered)
    }
  }

  /// Reads a link.
  ///
  /// - Throws: `LINK_UNKNOWN`, `LINK_ENDED`.
  func read(_ text: String, now: Int64) async throws(Failure) -> ReminderLink {
    try ReminderLink(text, key: try await self.key(), now: now)
  }

  private func key() async throws(Failure) -> HMACKey {
    // One task for all who wait: two would make two keys.
    let task =
      self.known
      ?? Task { [secrets] in await Result(of: { () async throws(Failure) in try await Self.key(in: secrets) }) }
    self.known = task
    do throws(Failure) {
      return try await task.value.get()
    } catch {
      self.known = nil
      throw error
    }
  }

  private static func key(in secrets: any SecretStore) async throws(Failure) -> HMACKey {
    if let kept = try await secrets.secret(named: self.secret), let bytes = Hex.decode(kept),
      bytes.count == self.keyBytes
    {
      return HMACKey(bytes)
    }
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<self.keyBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    try await secrets.keep(Hex.encode(bytes), named: self.secret)
    return HMACKey(bytes)
  }
}

extension Reminder {
  /// Whether a message offers to do something about it.
  fileprivate func allows(_ action: ReminderLink.Action) -> Bool {
    switch action {
    case .done: true
    case .snooze: self.snoozes < Self.mostSnoozes && self.knownState != .missed
    case .skip: self.knownKind == .plan
    }
  }
}
