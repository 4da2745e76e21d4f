public import Bus
internal import Foundation
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension DatabaseView {
  /// The channels.
  public var channels: ChannelTable<Self> { ChannelTable(view: self) }
}

/// The channels over which messages are delivered.
public struct ChannelTable<View: DatabaseView> {
  let view: View

  /// The desktop of the user who runs the daemon: a channel that always exists.
  public static var desktop: String { "desktop" }

  /// All channels, by name.
  public func all() throws(Failure) -> [Channel] {
    try self.view.attempt { database in
      try Data.fetchAll(database.cachedStatement(sql: "SELECT body FROM channel ORDER BY name"))
        .map { try Channel(serializedBytes: [UInt8]($0)) }
    }
  }

  /// A channel; nil if the name is unknown.
  public func find(_ name: String) throws(Failure) -> Channel? {
    if name == Self.desktop {
      var channel = Channel()
      channel.name = name
      channel.desktop = DesktopChannel()
      return channel
    }
    return try self.view.attempt { database in
      try Data.fetchOne(database.cachedStatement(sql: "SELECT body FROM channel WHERE name = ?"), arguments: [name])
        .map { try Channel(serializedBytes: [UInt8]($0)) }
    }
  }

  /// A channel that must exist.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require(_ name: String) throws(Failure) -> Channel {
    guard let channel = try self.find(name) else {
      throw .unknownRecord(
        name, "There is no channel '\(name.prefix(64))'. `kith channels list` lists them.")
    }
    return channel
  }
}

extension ChannelTable where View == Transaction {
  /// Inserts or replaces a channel.
  public func put(_ channel: Channel) throws(Failure) {
    var kept = channel
    kept.clearLast()
    try self.view.attempt { database in
      try EngineStatement(
        database, "INSERT INTO channel (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body"
      ).run([.text(channel.name), .blob(try kept.serializedBytes())])
    }
  }

  /// Removes a channel.
  public func remove(_ name: String) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(database, "DELETE FROM channel WHERE name = ?").run([.text(name)])
    }
  }
}
