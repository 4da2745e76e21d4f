internal import Bus
internal import FoundationEssentials
internal import KithMessages
internal import SwiftProtobuf

/// Compares, shows and merges a field of a record by its rules in `proto/`.
extension MessageField {
  /// Whether a merge covers it: clients change it, or only the hub stores it.
  var isMerged: Bool { self.rules.isEditable || self.rules.place == .hub }

  /// Whether clients change it and the server stores it too, so that both sides can change it.
  var isShared: Bool { self.rules.isEditable && self.rules.place == .both }

  /// Whether two records have the same value. Names have no order, and the server stores whole seconds.
  func isSame(_ left: Message, _ right: Message) -> Bool {
    switch self.value {
    case .texts(let path) where self.rules.merge == .set: Set(left[keyPath: path]) == Set(right[keyPath: path])
    case .moment(let get): get(left)?.seconds == get(right)?.seconds
    case .messages(let path): MessageJoin.isSame(left[keyPath: path], right[keyPath: path])
    default: self.isEqual(left, right)
    }
  }

  /// The value as people read it.
  func text(_ record: Message) -> String {
    switch self.value {
    case .text(let path): record[keyPath: path]
    case .texts(let path): record[keyPath: path].joined(separator: ", ")
    case .number(let path): record[keyPath: path].description
    case .flag(let path): record[keyPath: path].description
    case .moment(let get): get(record).map { $0.date.formatted(.iso8601) } ?? ""
    case .messages(let path): record[keyPath: path].map(\.content).joined(separator: "\n")
    case .items, .other: ""
    }
  }

  /// Gives messages from the server the ids that they have on the hub.
  func align(_ local: Message, _ server: inout Message) {
    guard case .messages(let path) = self.value else { return }
    server[keyPath: path] = MessageJoin.align(local: local[keyPath: path], server: server[keyPath: path])
  }

  /// Merges the changes of both sides into `result`.
  ///
  /// - Returns: False for a conflict, which leaves `result` unchanged.
  func join(_ base: Message, _ local: Message, _ server: Message, _ result: inout Message) -> Bool {
    switch self.value {
    case .text(let path) where self.rules.merge == .text:
      let joined = TextJoin.join(base: base[keyPath: path], local: local[keyPath: path], server: server[keyPath: path])
      guard let joined, TextLimit(self.rules.max).holds(joined) else { return false }
      result[keyPath: path] = joined
    case .texts(let path) where self.rules.merge == .set:
      let (base, local, server) = (base[keyPath: path], local[keyPath: path], server[keyPath: path])
      let (before, here) = (Set(base), Set(local))
      let removed = before.subtracting(here)
      result[keyPath: path] =
        server.filter { !removed.contains($0) } + local.filter { !before.contains($0) && !server.contains($0) }
    case .messages(let path):
      let joined = MessageJoin.join(
        base: base[keyPath: path], local: local[keyPath: path], server: server[keyPath: path])
      guard let joined else { return false }
      result[keyPath: path] = joined
    default: return false
    }
    return true
  }
}

/// Merges two changes of a text if at least one side only appended.
enum TextJoin {
  /// Joins both sides.
  ///
  /// - Returns: nil if both sides changed the base.
  static func join(base: String, local: String, server: String) -> String? {
    // With an empty base both sides wrote a new text, and their order is unknown.
    guard !base.isEmpty else { return local == server ? local : nil }
    // A side that only appended begins with the whole base; a shorter side has removed something.
    if local.hasPrefix(server), server.hasPrefix(base) { return local }
    if server.hasPrefix(local), local.hasPrefix(base) { return server }
    // If one side removed the end of the base, the text that the other side appended may not fit any more.
    guard !base.hasPrefix(local), !base.hasPrefix(server) else { return nil }
    if local.hasPrefix(base) { return server + local.dropFirst(base.count) }
    if server.hasPrefix(base) { return local + server.dropFirst(base.count) }
    return nil
  }
}
