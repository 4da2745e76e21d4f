import Bus
import KithMessages
import Testing

@testable import MQTT

@Suite struct BrokerAddressTests {
  @Test(arguments: [
    ("mqtt://broker", "broker", 1883, false), ("mqtts://broker", "broker", 8883, true),
    ("mqtt://10.0.0.2:11883", "10.0.0.2", 11883, false), ("mqtts://[fd00::2]:8884", "fd00::2", 8884, true),
    ("mqtt://[::1]", "::1", 1883, false),
  ])
  func `an address is read`(text: String, host: String, port: Int, isTLS: Bool) throws {
    let address = try BrokerAddress(text)
    #expect(address.host == host)
    #expect(address.port == port)
    #expect(address.isTLS == isTLS)
  }

  @Test(arguments: [
    "", "broker", "http://broker", "mqtt://", "mqtt://broker:0", "mqtt://broker:65536", "mqtt://broker:x",
    "mqtt://user@broker", "mqtt://broker/topic",
  ])
  func `another text is refused, with the field`(text: String) {
    let failure = #expect(throws: Failure.self) { try BrokerAddress(text) }
    #expect(failure?.status.details.keys.contains("broker") == true)
  }
}
