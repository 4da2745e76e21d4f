internal import Bus
internal import Foundation
internal import KithMessages
internal import SwiftProtobuf
internal import Synchronization

/// Ids as they are shown on a terminal: by the shortest end that no other id has. In a pipe they are whole.
final class ShortIDs: Sendable {
  private let ends = Mutex<[String: String]>([:])

  /// The end of an id; the whole id if the end is not known.
  subscript(id: String) -> String { self.ends.withLock { $0[id] ?? id } }

  /// Asks for the ends of all ids in a reply.
  func learn(_ reply: some SwiftProtobuf.Message, _ session: Session) async {
    guard session.console.isTerminal, !session.isJSON, session.layout.width != nil else { return }
    var visitor = IDVisitor()
    try? reply.traverse(visitor: &visitor)
    let ids = self.ends.withLock { ends in visitor.ids.filter { ends[$0] == nil } }
    for start in stride(from: 0, to: ids.count, by: 1000) {
      let request = ShortenIdsRequest.with { $0.ids = Array(ids[start..<min(start + 1000, ids.count)]) }
      // An older kithd does not know the method: its ids are shown whole.
      guard let reply = try? await session.client.ask(request), reply.ends.count == request.ids.count else { return }
      self.ends.withLock { ends in
        for (id, end) in zip(request.ids, reply.ends) { ends[id] = end == id ? Self.end(of: id, among: ids) : end }
      }
    }
  }

  /// The shortest end that none of the others has: for what is named only together with what it is in, as the messages of a talk.
  private static func end(of id: String, among others: [String]) -> String {
    let ends = (4..<max(5, id.count)).map { String(id.suffix($0)) }
    return ends.first { end in !others.contains { $0 != id && $0.hasSuffix(end) } } ?? id
  }
}

/// Collects the texts of a message that have the form of an id.
private struct IDVisitor: Visitor {
  private var known: Set<String> = []
  private(set) var ids: [String] = []

  private mutating func take(_ text: String) {
    let isID = UUIDv7.isID(text) || text.hasPrefix("person:")
    if isID, self.known.insert(text).inserted { self.ids.append(text) }
  }

  mutating func visitSingularStringField(value: String, fieldNumber: Int) { self.take(value) }

  mutating func visitSingularMessageField<M: SwiftProtobuf.Message>(value: M, fieldNumber: Int) throws {
    try value.traverse(visitor: &self)
  }

  mutating func visitSingularDoubleField(value: Double, fieldNumber: Int) {}
  mutating func visitSingularInt64Field(value: Int64, fieldNumber: Int) {}
  mutating func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) {}
  mutating func visitSingularBoolField(value: Bool, fieldNumber: Int) {}
  mutating func visitSingularBytesField(value: Data, fieldNumber: Int) {}
  mutating func visitSingularEnumField<E: SwiftProtobuf.Enum>(value: E, fieldNumber: Int) {}
  mutating func visitMapField<K, V: MapValueType>(
    fieldType: _ProtobufMap<K, V>.Type, value: _ProtobufMap<K, V>.BaseType, fieldNumber: Int
  ) {}
  mutating func visitMapField<K, V>(
    fieldType: _ProtobufEnumMap<K, V>.Type, value: _ProtobufEnumMap<K, V>.BaseType, fieldNumber: Int
  ) where V.RawValue == Int {}
  mutating func visitMapField<K, V>(
    fieldType: _ProtobufMessageMap<K, V>.Type, value: _ProtobufMessageMap<K, V>.BaseType, fieldNumber: Int
  ) {}
  mutating func visitUnknown(bytes: Data) {}
}
