public import Bus
internal import Foundation
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// The devices that reach the hub through a door.
  static let devices = Migration(
    name: "devices",
    sql: """
      -- body: a Device message. token: the SHA-256 of the device's token, which is stored nowhere.
      CREATE TABLE device (
        id INTEGER PRIMARY KEY,
        token BLOB NOT NULL UNIQUE,
        name TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('active', 'revoked')),
        body BLOB NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX device_name ON device (name) WHERE state = 'active';
      """)
}

extension DatabaseView {
  /// The devices that reach the hub through a door.
  public var devices: DeviceTable<Self> { DeviceTable(view: self) }
}

extension Device {
  /// Whether the device may connect: it was not revoked and has not expired.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  public func isActive(at now: Int64) -> Bool {
    self.state == "active" && !(self.hasExpires && self.expires.nanosecondsSince1970 <= now)
  }
}

/// A device and the SHA-256 of its token.
public struct StoredDevice: Sendable, Hashable {
  /// The device.
  public var device: Device
  /// 32 bytes.
  public let token: [UInt8]

  /// Makes a device with its token's digest.
  public init(_ device: Device, token: [UInt8]) {
    self.device = device
    self.token = token
  }
}

/// The devices, with the role and the digest of the token of each.
public struct DeviceTable<View: DatabaseView> {
  /// The most devices that are kept after their end: the newest.
  static var endedKept: Int { 100 }

  let view: View

  /// All devices in the order in which they joined.
  public func all() throws(Failure) -> [StoredDevice] { try self.rows("ORDER BY id", []) }

  /// The device with this token's digest, revoked or not; nil if there is none.
  public func find(token: [UInt8]) throws(Failure) -> StoredDevice? {
    try self.rows("WHERE token = ?", [Data(token)]).first
  }

  /// The device that has this name, perhaps an expired one until ``expire(now:)``; nil if the name is free.
  public func active(_ name: String) throws(Failure) -> StoredDevice? {
    try self.rows("WHERE state = 'active' AND name = ?", [name]).first
  }

  private func rows(_ condition: String, _ arguments: StatementArguments) throws(Failure) -> [StoredDevice] {
    try self.view.attempt { database in
      try Row.fetchAll(
        database.cachedStatement(sql: "SELECT body, token FROM device \(condition)"), arguments: arguments
      ).map { row in
        StoredDevice(
          try Device(serializedBytes: [UInt8](row[0] as Data)), token: [UInt8](row[1] as Data))
      }
    }
  }
}

extension DeviceTable where View == Transaction {
  /// Ends the devices that have expired, so that their names are free.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  public func expire(now: Int64) throws(Failure) {
    for var stored in try self.all() where stored.device.state == "active" && !stored.device.isActive(at: now) {
      stored.device.state = "expired"
      try self.put(stored)
    }
  }

  /// Inserts or replaces a device; deletes the oldest of too many that were revoked or have expired.
  ///
  /// - Parameter notice: The kind of the event for the stream `system`, such as `device.paired`; nil = no event.
  public func put(_ stored: StoredDevice, notice: String? = nil) throws(Failure) {
    let device = stored.device
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        INSERT INTO device (token, name, state, body) VALUES (?, ?, ?, ?)
        ON CONFLICT (token) DO UPDATE SET name = excluded.name, state = excluded.state, body = excluded.body
        """
      ).run([
        .blob(stored.token), .text(device.name), .text(device.state == "active" ? "active" : "revoked"),
        .blob(try device.serializedBytes()),
      ])
      try EngineStatement(
        database,
        """
        DELETE FROM device WHERE state = 'revoked' AND id NOT IN
          (SELECT id FROM device WHERE state = 'revoked' ORDER BY id DESC LIMIT ?)
        """
      ).run([.integer(Int64(Self.endedKept))])
    }
    guard let notice else { return }
    var event = Event()
    event.system.kind = notice
    event.system.text = device.name
    try self.view.emit(event, on: EventStream.system.name)
  }
}
