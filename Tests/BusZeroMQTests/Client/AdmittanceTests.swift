import Bus
import KithMessages
import Testing
import ZeroMQ

@testable import BusZeroMQ

struct AdmittanceTests {
  private let start = ContinuousClock.now

  /// The reason, a second after the last event unless said otherwise.
  private func reason(_ events: [(MonitorEvent.Kind, seconds: Int)], at end: Int? = nil) throws -> String? {
    var admittance = Admittance()
    for (event, seconds) in events { admittance.note(event, self.start + .seconds(seconds)) }
    let keys = try CurveKeyPair.random()
    let identity = CurveIdentity(keys: keys, serverKey: keys.publicKey)
    return admittance.failure(
      endpoint: "tcp://hub:7750", identity: identity, now: self.start + .seconds(end ?? 1 + (events.last?.seconds ?? 0))
    )?
    .reason
  }

  @Test("where nobody answers there is nobody to let us in") func absent() throws {
    #expect(try self.reason([]) == nil)
    #expect(try self.reason([(.connectDelayed, 0), (.connectRetried, 1)]) == nil)
  }

  @Test("a hub that holds the connection does not know the key yet") func waiting() throws {
    #expect(try self.reason([(.connected, 0)]) == "KEY_NOT_ADMITTED")
    #expect(try self.reason([(.connected, 0), (.handshakeBroken(32), 5)]) == "KEY_NOT_ADMITTED")
  }

  @Test("one that cuts it at once has another key than we think") func cut() throws {
    #expect(try self.reason([(.connected, 0), (.handshakeBroken(32), 0)]) == "SERVER_KEY_WRONG")
    let again: [(MonitorEvent.Kind, seconds: Int)] = [(.connected, 0), (.handshakeBroken(32), 0), (.connected, 1)]
    #expect(try self.reason(again, at: 1) == "SERVER_KEY_WRONG")
    // This time the hub keeps the connection.
    #expect(try self.reason(again, at: 2) == "KEY_NOT_ADMITTED")
  }

  @Test("one that refuses says so") func refused() throws {
    #expect(try self.reason([(.connected, 0), (.handshakeRefused(400), 0), (.disconnected(3), 0)]) == "KEY_REFUSED")
  }

  @Test("over ipc only a refusal says something: there is no key to tell") func overIPC() {
    var admittance = Admittance()
    let failure = { [start] (admittance: Admittance) in
      admittance.failure(endpoint: "ipc:///run/kith/control.sock", identity: nil, now: start + .seconds(1))
    }
    admittance.note(.connected, self.start)
    #expect(failure(admittance) == nil)
    admittance.note(.handshakeRefused(400), self.start)
    #expect(failure(admittance)?.reason == "PRINCIPAL_UNKNOWN")
  }

  @Test("once in, there is nothing to say") func admitted() throws {
    #expect(
      try self.reason([(.connected, 0), (.handshakeBroken(32), 5), (.connected, 6), (.handshakeSucceeded, 6)]) == nil)
  }
}
