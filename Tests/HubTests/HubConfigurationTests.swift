import Bus
import BusZeroMQ
import Testing

@testable import Hub

struct HubConfigurationTests {
  private func fault(_ toml: String) -> String? {
    do throws(Failure) {
      _ = try HubConfiguration(toml: toml, name: "kith.toml")
      return nil
    } catch { return error.message }
  }

  @Test("files with secrets are where a user, a machine and systemd keep them, unless folders are listed")
  func secretFolders() throws {
    func standard(_ variables: [String: String]) -> [String] {
      HubConfiguration.standardSecretFolders { variables[$0] }
    }
    #expect(standard(["HOME": "/home/ann"]) == ["/home/ann/.config/kith", "/etc/kith"])
    #expect(standard(["HOME": "/home/ann", "XDG_CONFIG_HOME": "/cfg"]) == ["/cfg/kith", "/etc/kith"])
    #expect(standard(["HOME": "/home/ann", "XDG_CONFIG_HOME": "relative"]) == ["/home/ann/.config/kith", "/etc/kith"])
    #expect(standard(["CREDENTIALS_DIRECTORY": "/run/credentials/kithd"]) == ["/etc/kith", "/run/credentials/kithd"])
    #expect(standard([:]) == ["/etc/kith"])
    #expect(HubConfiguration().secretFolders == HubConfiguration.standardSecretFolders(RuntimeLocations.variable))
    let listed = try HubConfiguration(toml: "[secrets]\nfolders = [\"/srv/a\", \"/srv/b\"]", name: "kith.toml")
    #expect(listed.secretFolders == ["/srv/a", "/srv/b"])
    #expect(try HubConfiguration(toml: "[secrets]\nfolders = []", name: "kith.toml").secretFolders.isEmpty)
    #expect(self.fault("[secrets]\nfolders = [\"kith\"]")?.contains("absolute paths") == true)
  }

  @Test("the bounds of clients are numbers within reason")
  func limits() throws {
    let standard = HubConfiguration()
    #expect(standard.clientMemory.bytes == 64 << 20 && standard.connectionsPerKey == 16)
    let chosen = try HubConfiguration(
      toml: "[limits]\nclients_mib = 128\nconnections_per_key = 3", name: "kith.toml")
    #expect(chosen.clientMemory.bytes == 128 << 20 && chosen.connectionsPerKey == 3)
    for line in [
      "clients_mib = 31", "clients_mib = 4097", "clients_mib = \"64\"", "connections_per_key = 0",
      "connections_per_key = 129", "connections_per_key = 1.5", "connections = 3",
    ] {
      #expect(
        self.fault("[limits]\n\(line)")?.contains("limits.connections") == line.hasPrefix("connections"), "\(line)")
    }
  }
}
