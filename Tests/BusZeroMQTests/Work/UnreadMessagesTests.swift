import Bus
import KithMessages
import Testing

@testable import BusZeroMQ

@Suite("Messages that wait to be read beside the loop")
struct UnreadMessagesTests {
  private func final(_ bytes: Int, isElsewhere: Bool = false) -> WorkFrame {
    var result = WorkResult()
    if isElsewhere { result.outputs = [BlobRef()] }
    return WorkFrame(.final(result, [UInt8](repeating: 0, count: bytes)))
  }

  @Test("A short one is taken in at once, a long one is read first, whether in its frame or in chunks")
  func long() {
    var messages = UnreadMessages()
    #expect(messages.enter(self.final(4096), from: [1]) == .none)
    #expect(messages.enter(self.final(4097), from: [1]) == .first)
    #expect(messages.enter(self.final(0, isElsewhere: true), from: [2]) == .later)
    #expect(messages.first?.peer == [1])
  }

  @Test("Behind a long one its worker's messages wait, also its goodbye; those of others do not")
  func order() {
    var messages = UnreadMessages()
    #expect(messages.enter(self.final(5000), from: [1]) == .first)
    #expect(messages.enter(self.final(1), from: [1]) == .later)
    #expect(messages.enter(WorkFrame(.disconnect(Disconnect())), from: [1]) == .later)
    #expect(messages.enter(self.final(1), from: [2]) == .none)
    var kinds: [WorkKind] = []
    while let message = messages.first {
      kinds.append(message.frame.message.kind)
      messages.removeFirst()
    }
    #expect(kinds == [.final, .final, .disconnect])
    #expect(messages.enter(self.final(1), from: [1]) == .none)
  }

  @Test("So many bytes wait in all, and so many messages of one worker; the others are dropped")
  func limits() {
    var messages = UnreadMessages(limits: UnreadMessages.Limits(atOnce: 10, bytes: 100, messages: 2))
    #expect(messages.enter(self.final(60), from: [1]) == .first)
    #expect(messages.enter(self.final(41), from: [2]) == .dropped)
    #expect(messages.enter(self.final(1), from: [1]) == .later)
    #expect(messages.enter(self.final(1), from: [1]) == .dropped)
    #expect(messages.enter(self.final(39), from: [2]) == .later)
    messages.removeFirst()
    #expect(messages.enter(self.final(1), from: [1]) == .later)
  }
}
