import Bus
import Testing

@Suite("Runtime locations")
struct RuntimeLocationsTests {
  private func find(
    _ variables: [String: String], runtime: String? = nil, state: String? = nil
  ) throws -> RuntimeLocations {
    try RuntimeLocations(runtimeDirectory: runtime, stateDirectory: state) { variables[$0] }
  }

  @Test("An option comes before a variable, a variable before the session's directory")
  func order() throws {
    let variables = [
      "HOME": "/home/a", "XDG_RUNTIME_DIR": "/run/x", "XDG_STATE_HOME": "/st", "KITH_STATE_DIR": "/ks",
      "KITH_RUNTIME_DIR": "/kr",
    ]
    let named = try self.find(variables, runtime: "/r", state: "/s")
    #expect(named.runtimeDirectory == "/r")
    #expect(named.stateDirectory == "/s")
    let byVariable = try self.find(variables)
    #expect(byVariable.runtimeDirectory == "/kr")
    #expect(byVariable.stateDirectory == "/ks")
    let bySession = try self.find(variables.filter { !$0.key.hasPrefix("KITH") })
    #expect(bySession.controlSocket == "/run/x/kith/control.sock")
    #expect(bySession.eventsSocket == "/run/x/kith/events.sock")
    #expect(bySession.stateDirectory == "/st/kith")
  }

  @Test("An empty variable counts as unset, and a relative path is made absolute")
  func edges() throws {
    let found = try self.find(["HOME": "/home/a", "XDG_STATE_HOME": "", "KITH_RUNTIME_DIR": "here"])
    #expect(found.stateDirectory == "/home/a/.local/state/kith")
    #expect(found.runtimeDirectory.hasPrefix("/"))
    #expect(found.runtimeDirectory.hasSuffix("/here"))
  }

  @Test("A client looks at the user's place and at the machine's, and nowhere else than at one that is named")
  func places() throws {
    func directories(_ variables: [String: String], runtime: String? = nil) throws -> [String] {
      try RuntimeLocations.places(runtimeDirectory: runtime) { variables[$0] }.map(\.runtimeDirectory)
    }
    let session = ["HOME": "/home/a", "XDG_RUNTIME_DIR": "/run/x", "KITH_RUNTIME_DIR": ""]
    #expect(try directories(session) == ["/run/x/kith", "/run/kith"])
    #expect(try directories(session, runtime: "/r") == ["/r"])
    #expect(try directories(session.merging(["KITH_RUNTIME_DIR": "/kr"]) { $1 }) == ["/kr"])
  }

  @Test("Without a home and without variables there is no place")
  func nowhere() {
    #expect { try self.find([:]) } throws: { ($0 as? Failure)?.reason == "NOT_CONFIGURED" }
  }
}
