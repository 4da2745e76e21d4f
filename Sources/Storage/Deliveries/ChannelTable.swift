public import Bus
internal import GRDB
public import KithMessages

extension DatabaseView {
  /// The channels.
  public var channels: ChannelTable<Self> { ChannelTable(view: self) }
}

/// The name of a channel's secret in the secret store.
public enum ChannelSecret {
  /// The name, of the channel of this name.
  public static func name(of channel: String) -> String { "channel-\(channel)" }
}

/// The channels over which messages are delivered.
public struct ChannelTable<View: DatabaseView> {
  let view: View

  /// The desktop of the user who runs the daemon: a channel that always exists.
  public static var desktop: String { "desktop" }

  /// All channels, by name.
  public func all() throws(Failure) -> [Channel] { try self.messages.all("ORDER BY name") }

  /// The names of channels for a reminder, each once: those named, those for every reminder, and the browsers.
  public func names(_ named: [String], always: [String]) throws(Failure) -> [String] {
    let browsers = try self.all().filter(\.isBrowser).map(\.name)
    return named + (always + browsers).filter { !named.contains($0) }
  }

  /// A channel; nil if the name is unknown.
  public func find(_ name: String) throws(Failure) -> Channel? {
    if name == Self.desktop {
      var channel = Channel()
      channel.name = name
      channel.desktop = DesktopChannel()
      return channel
    }
    return try self.messages.first("WHERE name = ?", [.text(name)])
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

  /// A channel that must exist and carry text.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`; `INVALID_ARGUMENT/FIELD_INVALID` for a browser, whose messages are empty.
  public func requireText(_ name: String) throws(Failure) -> Channel {
    let channel = try self.require(name)
    guard !channel.isBrowser else {
      throw .invalid(
        field: "channels",
        "has '\(name)', a browser, which gets empty messages only. Name a channel such as mail or ntfy.")
    }
    return channel
  }

  private var messages: MessageTable<Channel, View> { MessageTable(view: self.view, name: "channel") }
}

extension ChannelTable where View == Transaction {
  /// Inserts or replaces a channel.
  public func put(_ channel: Channel) throws(Failure) {
    var kept = channel
    kept.clearLast()
    try self.messages.put(kept, key: ["name": .text(channel.name)])
  }

  /// Removes a channel.
  public func remove(_ name: String) throws(Failure) {
    try self.view.attempt { database in
      try database.run("DELETE FROM channel WHERE name = ?", .text(name))
    }
  }
}
