public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// An account on a Monica server, without its token, which the store never sees.
public struct AccountRecord: Sendable, Equatable {
  /// The server's address; empty before the first login.
  public var endpoint = ""
  /// Whether its token is used.
  public var state = AccountState.nothing
  /// The user's id on the server; 0 = not known.
  public var userID: UInt64 = 0
  /// The user's name.
  public var userName = ""
  /// The user's e-mail address.
  public var userEmail = ""
  /// The file of trusted authorities; empty for those of the system.
  public var caFile = ""
  /// When everything was last read, in nanoseconds since 1970; nil = never.
  public var lastPullAt: Int64?

  /// Whether there is a server: false before the first login.
  public var hasServer: Bool { !self.endpoint.isEmpty }

  /// Makes an account.
  public init(
    endpoint: String = "", state: AccountState = .nothing, userID: UInt64 = 0, userName: String = "",
    userEmail: String = "",
    caFile: String = "", lastPullAt: Int64? = nil
  ) {
    self.endpoint = endpoint
    self.state = state
    self.userID = userID
    self.userName = userName
    self.userEmail = userEmail
    self.caFile = caFile
    self.lastPullAt = lastPullAt
  }
}

/// The accounts on Monica servers, one of which is in use. Before the first login, it is an account without an address; the first
/// login gives it one, with the records until then.
public struct AccountTable<View: DatabaseView> {
  let view: View

  /// The account in use.
  public func current() throws(Failure) -> AccountRecord {
    let account = try self.view.attempt { database in
      try database.first(Self.selection + "WHERE is_current", read: AccountRecord.init(row:))
    }
    guard let account else { throw .storeDamaged }
    return account
  }

  /// The account of an address; nil if there is none.
  public func find(_ endpoint: String) throws(Failure) -> AccountRecord? {
    try self.view.attempt { database in
      try database.first(Self.selection + "WHERE endpoint = ?", .text(endpoint), read: AccountRecord.init(row:))
    }
  }

  /// The addresses of all accounts: the one in use, then the others by their last use.
  public func endpoints() throws(Failure) -> [String] {
    try self.view.attempt { database in
      try database.all(
        """
        SELECT endpoint FROM monica_account WHERE endpoint <> '' ORDER BY is_current DESC, last_used_at DESC, id DESC
        """
      ) { $0.text(0) }
    }
  }

  /// Where pulling continues; nil for the beginning.
  public func pullState() throws(Failure) -> [UInt8]? {
    try self.view.attempt { database in
      try database.first("SELECT pull FROM monica_account WHERE is_current AND pull IS NOT NULL") { $0.blob(0) }
    }
  }

  /// The status of the last pass; nil if there was none.
  public func status() throws(Failure) -> SyncStatus? {
    try self.view.attempt { database in
      try database.first("SELECT status FROM monica_account WHERE is_current AND status IS NOT NULL") { $0.blob(0) }.map
      { try SyncStatus(serializedBytes: $0) }
    }
  }

  /// Checks that the records of an address, if any, belong to the user of a token.
  ///
  /// - Throws: `FAILED_PRECONDITION/OTHER_USER`.
  public func requireOwner(_ account: AccountRecord) throws(Failure) {
    guard let known = try self.find(account.endpoint), known.userID != account.userID, known.userID != 0,
      try !self.isEmpty(account.endpoint)
    else { return }
    throw Failure(
      .failedPrecondition, "OTHER_USER",
      "What is stored of \(account.endpoint) belongs to \(known.userName). Log in as that user, or clear the cache of "
        + "that account first.")
  }

  private func isEmpty(_ endpoint: String) throws(Failure) -> Bool {
    try self.view.attempt { database in
      try database.first(
        """
        SELECT EXISTS (SELECT 1 FROM record
          WHERE account = (SELECT id FROM monica_account WHERE endpoint = ?) AND monica_id IS NOT NULL)
        """, .text(endpoint)
      ) { $0.integer(0) == 0 } ?? true
    }
  }

  private static var selection: String {
    "SELECT endpoint, state, user_id, user_name, user_email, ca_file, last_pull_at FROM monica_account "
  }
}

extension AccountRecord {
  /// Reads the columns of `AccountTable.selection`.
  fileprivate init(row: EngineRow) {
    self.init(
      endpoint: row.text(0), state: AccountState(rawValue: row.text(1)) ?? .nothing,
      userID: UInt64(bitPattern: row.integer(2)), userName: row.text(3), userEmail: row.text(4), caFile: row.text(5),
      lastPullAt: row.isNull(6) ? nil : row.integer(6))
  }
}

extension AccountTable where View == Transaction {
  /// Logs in: the account of the address is in use from now on, with its records.
  ///
  /// - Parameter account: The user of the token, as the server says.
  /// - Throws: `FAILED_PRECONDITION/OTHER_USER` when what is stored of this address belongs to another user.
  public func login(_ account: AccountRecord, now: Int64) throws(Failure) {
    try self.requireOwner(account)
    if try self.find(account.endpoint) != nil {
      try self.use(account.endpoint, now: now)
    } else if try self.current().endpoint.isEmpty {
      try self.view.attempt { database in
        try database.run(
          "UPDATE monica_account SET endpoint = ?1, created_at = ?2, last_used_at = ?2 WHERE is_current",
          .text(account.endpoint), .integer(now))
      }
      try self.tellQueued()
    } else {
      try self.view.attempt { database in
        try database.run(
          "INSERT INTO monica_account (endpoint, state, is_current, created_at) VALUES (?, ?, 0, ?)",
          .text(account.endpoint), .text(AccountState.loggedIn.rawValue), .integer(now))
      }
      try self.use(account.endpoint, now: now)
    }
    try self.view.attempt { database in
      try database.run(
        """
        UPDATE monica_account SET state = ?, user_id = ?, user_name = ?, user_email = ?, ca_file = ? WHERE is_current
        """, .text(AccountState.loggedIn.rawValue), .integer(Int64(bitPattern: account.userID)),
        .text(of: account.userName), .text(of: account.userEmail), .text(account.caFile))
    }
  }

  /// Emits the events of the records that were kept here alone until now.
  private func tellQueued() throws(Failure) {
    let account = try self.view.records.account
    let queued = try self.view.attempt { database in
      try database.all(
        "SELECT kind, uuid FROM record WHERE account = ? AND deleted_at IS NULL", .integer(account)
      ) { (kind: RecordKind(rawValue: Int($0.integer(0))), id: $0.text(1)) }
    }
    for record in queued {
      if let kind = record.kind { self.view.changed(kind, [record.id]) }
    }
  }

  /// Stores the state of the account in use.
  public func setState(_ state: AccountState) throws(Failure) { try self.set("state", .text(state.rawValue)) }

  /// Switches to another account. Queued changes stay with theirs.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func switchTo(_ endpoint: String, now: Int64) throws(Failure) {
    guard !endpoint.isEmpty, try self.find(endpoint) != nil else {
      throw .unknownRecord(
        endpoint, "There is no account on '\(endpoint.prefix(200))' yet. `kith monica login` makes one.")
    }
    try self.use(endpoint, now: now)
  }

  /// Stores where pulling continues; nil for the beginning.
  public func setPullState(_ state: [UInt8]?) throws(Failure) {
    try self.set("pull", state.map { .blob($0) } ?? .null)
  }

  /// Stores that everything was read to the end.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds since 1970.
  ///   - isComplete: Whether the reading has found all that is gone, which counts towards the end of a ``DeletionHold``.
  public func setLastPull(_ now: Int64, isComplete: Bool = true) throws(Failure) {
    try self.set("last_pull_at", .integer(now))
    guard isComplete else { return }
    try self.setCountOfGone(0)
    if let hold = try self.deletionHold() { try self.setDeletionHold(hold.after(readingAt: now)) }
  }

  /// Stores the status of the pass.
  public func setStatus(_ status: SyncStatus) throws(Failure) {
    try self.set("status", .blob(try Encoding.pb.encode(status)))
  }

  private func set(_ column: String, _ value: EngineValue) throws(Failure) {
    try self.view.attempt { try $0.run("UPDATE monica_account SET \(column) = ? WHERE is_current", value) }
  }

  private func use(_ endpoint: String, now: Int64) throws(Failure) {
    try self.view.attempt { database in
      try database.run("UPDATE monica_account SET is_current = 0 WHERE is_current")
      try database.run(
        "UPDATE monica_account SET is_current = 1, last_used_at = ? WHERE endpoint = ?", .integer(now), .text(endpoint))
    }
  }
}
