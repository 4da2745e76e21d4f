import Testing
import ZeroMQ

@testable import BusZeroMQ

struct ClientMemoryTests {
  @Test(
    "its parts are less than half of the whole, and each has room for the largest message", arguments: [32, 64, 4096])
  func parts(mebibytes: Int) {
    let memory = ClientMemory(bytes: mebibytes << 20)
    let traffic = memory.traffic
    #expect(traffic.receivedInAll + traffic.unsentInAll + memory.requests + memory.parked < memory.bytes / 2)
    // The largest command: header, body and attachments.
    let largest = WireLimits.header + WireLimits.body + WireLimits.attachments * WireLimits.acceptedAttachment
    #expect(traffic.received >= largest && traffic.receivedInAll > traffic.received && memory.requests > largest)
    #expect(traffic.unsentInAll > traffic.unsent)
    // A connection may send a whole window of a blob ahead, with the commands around its pieces.
    if mebibytes >= 64 { #expect(memory.requests / 8 * 3 > Int(WireLimits.window) + WireLimits.body) }
    // The largest answer may be kept.
    #expect(
      ParkedReplies.Limits(bytes: memory.parked).bytesPerPeer >= WireLimits.body + WireLimits.attachments
        * WireLimits.attachment)
  }
}
