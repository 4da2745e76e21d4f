internal import KithMessages
internal import SwiftProtobuf

/// Merges the messages of a conversation, each separately.
///
/// A message is identified by the server's id, or by ours if it has none. A message without a server's id is the same as a
/// message of the server with the same text and time: the answer to its creation may have been lost.
enum MessageJoin {
  /// Whether both have the same messages.
  static func isSame(_ left: [ConversationMessage], _ right: [ConversationMessage]) -> Bool {
    guard left.count == right.count else { return false }
    let pairs = Self.pair(left, with: right)
    return pairs.indices.allSatisfy { index in pairs[index].map { Self.isSame(left[index], right[$0]) } ?? false }
  }

  /// The server's messages under the ids that they have here.
  static func align(local: [ConversationMessage], server: [ConversationMessage]) -> [ConversationMessage] {
    zip(server, Self.pair(server, with: local)).map { message, place in
      var message = message
      if let place { message.id = local[place].id }
      return message
    }
  }

  /// Joins both sides.
  ///
  /// - Returns: nil if a message was changed on both sides, or changed on one side and deleted on the other.
  static func join(
    base: [ConversationMessage], local: [ConversationMessage], server: [ConversationMessage]
  ) -> [ConversationMessage]? {
    let baseOfServer = Self.pair(server, with: base)
    let localOfServer = Self.pair(server, with: local)
    let baseOfLocal = Self.pair(local, with: base)
    var result: [ConversationMessage] = []
    for (index, message) in server.enumerated() {
      let before = baseOfServer[index].map { base[$0] }
      guard let here = localOfServer[index].map({ local[$0] }) else {
        // Deleted here, if it was there before.
        if let before, !Self.isSame(before, message) { return nil }
        if before == nil { result.append(message) }
        continue
      }
      guard let joined = Self.join(base: before, local: here, server: message) else { return nil }
      result.append(joined)
    }
    let known = Set(localOfServer.compactMap(\.self))
    for (index, message) in local.enumerated() where !known.contains(index) {
      guard let before = baseOfLocal[index].map({ base[$0] }) else {
        result.append(message)
        continue
      }
      // Deleted on the server.
      if !Self.isSame(before, message) { return nil }
    }
    return result.enumerated().sorted {
      ($0.element.writtenAt.seconds, $0.offset) < ($1.element.writtenAt.seconds, $1.offset)
    }.map(\.element)
  }

  private static func join(
    base: ConversationMessage?, local: ConversationMessage, server: ConversationMessage
  ) -> ConversationMessage? {
    var result: ConversationMessage
    if Self.isSame(local, server) || base.map({ Self.isSame(local, $0) }) == true {
      result = server
    } else if base.map({ Self.isSame(server, $0) }) == true {
      result = local
      result.monicaID = server.monicaID
    } else {
      return nil
    }
    result.id = local.id
    return result
  }

  /// The content of a message.
  private struct Words: Hashable {
    let content: String
    let isByMe: Bool
    let seconds: Int64

    init(_ message: ConversationMessage) {
      self.content = message.content
      self.isByMe = message.writtenByMe
      self.seconds = message.writtenAt.seconds
    }
  }

  private static func isSame(_ left: ConversationMessage, _ right: ConversationMessage) -> Bool {
    Words(left) == Words(right)
  }

  /// For each message of the first list, the place of the same one in the second.
  private static func pair(_ first: [ConversationMessage], with second: [ConversationMessage]) -> [Int?] {
    var pairs = [Int?](repeating: nil, count: first.count)
    var taken = [Bool](repeating: false, count: second.count)
    func match<Key: Hashable>(_ left: (ConversationMessage) -> Key?, _ right: (ConversationMessage) -> Key?) {
      var places: [Key: [Int]] = [:]
      for index in second.indices.reversed() where !taken[index] {
        if let key = right(second[index]) { places[key, default: []].append(index) }
      }
      for index in first.indices where pairs[index] == nil {
        guard let key = left(first[index]), let place = places[key]?.popLast() else { continue }
        pairs[index] = place
        taken[place] = true
      }
    }
    func serverID(_ message: ConversationMessage) -> UInt64? { message.monicaID == 0 ? nil : message.monicaID }
    func ownID(_ message: ConversationMessage) -> String? { message.id.isEmpty ? nil : message.id }
    func words(_ message: ConversationMessage) -> Words? { Words(message) }
    func newWords(_ message: ConversationMessage) -> Words? { message.monicaID == 0 ? Words(message) : nil }
    match(serverID, serverID)
    match(ownID, ownID)
    match(newWords, words)
    match(words, newWords)
    return pairs
  }
}
