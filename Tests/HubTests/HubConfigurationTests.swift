import Backups
import Bus
import BusZeroMQ
import CivilTime
import KithMessages
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

  @Test("passwords and keys go into no backup that anybody can open")
  func backupSecrets() {
    #expect(self.fault("[backup]\nfolder = \"/srv/b\"\nsecrets = true")?.contains("passphrase_file") == true)
    #expect(self.fault("[backup]\nsecrets = true\npassphrase_file = \"/etc/p\"\nfolder = \"/srv/b\"") == nil)
    #expect(self.fault("[backup]\nsecrets = true\nrecipients_file = \"/etc/r\"\nfolder = \"/srv/b\"") == nil)
    #expect(
      self.fault("[backup]\npassphrase_file = \"/etc/p\"\nrecipients_file = \"/etc/r\"")?.contains("exclude") == true)
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

  @Test(
    "an engine has a section of its own, which says what it lacks",
    arguments: [
      ("pocketsphinx", "", nil), ("pocketsphinx", "host = \"a\"", "pocketsphinx.host is not a key"),
      ("whisper", "program = \"/bin/w\"\nmodel = \"/m\"", nil),
      ("whisper", "model = \"/m\"", "needs program and model"),
      ("whisper_server", "address = \"http://[::1]:1\"", nil), ("whisper_server", "", "needs address"),
      ("wyoming", "host = \"a\"\nport = 1", nil), ("wyoming", "port = 1", "needs host"),
      ("command", "program = \"/bin/c\"", nil), ("command", "arguments = [\"-a\"]", "needs program"),
      ("vosk", "", "the engines are command, pocketsphinx, whisper, whisper_server, wyoming"),
    ] as [(String, String, String?)])
  func engines(section: String, keys: String, lacks: String?) {
    let fault = self.fault("[transcription.\(section)]\nlanguages = [\"en\"]\n\(keys)")
    #expect(lacks.map { fault?.contains($0) == true } ?? (fault == nil), "\(fault ?? "none")")
  }

  /// Each key of the documentation with a value that is not its default. A key that is renamed or means something else fails here: people
  /// have files with these names.
  @Test("each key sets what it set in earlier releases")
  func everyKey() throws {
    let chosen = try HubConfiguration(
      toml: """
        [contacts]
        sync_at_start = false
        sync_every_minutes = 7
        watch_files = false
        [monica]
        sync_at_start = false
        sync_every_minutes = 9
        time_limit_seconds = 60
        [placement]
        contacts = "worker"
        monica = "worker"
        transcriber = "worker"
        delivery = "hub"
        [reminders]
        desktop = true
        [channels]
        programs = ["/usr/bin/apprise"]
        push = ["Push.Example.org"]
        [secrets]
        store = "keyring"
        folders = ["/srv/a"]
        [tcp]
        address = "127.0.0.1"
        port = 7001
        [users]
        root = "recorder"
        [limits]
        clients_mib = 128
        connections_per_key = 3
        [backup]
        folder = "/srv/backup/kith/"
        at = "04:15"
        keep_days = 3
        keep_weeks = 2
        keep_months = 1
        secrets = true
        passphrase_file = "/etc/kith/backup.passphrase"
        command = ["/usr/bin/rclone", "copyto"]
        [log]
        level = "debug"
        [transcription.whisper_server]
        languages = ["ja"]
        address = "http://127.0.0.1:18080"
        """, name: "kith.toml")
    #expect(!chosen.syncAtStart && chosen.syncEveryMinutes == 7 && !chosen.watchFiles)
    #expect(!chosen.monicaSyncAtStart && chosen.monicaSyncEveryMinutes == 9 && chosen.monicaTimeLimitSeconds == 60)
    #expect(chosen.placement.onWorkers == [.contacts, .monica, .transcriber])
    #expect(chosen.notifiesDesktop && chosen.channelPrograms == ["/usr/bin/apprise"] && chosen.usesKeyring)
    #expect(chosen.pushServices == ["push.example.org"])
    #expect(chosen.secretFolders == ["/srv/a"] && chosen.tcp == TCPSettings(address: "127.0.0.1", port: 7001))
    let plan = try #require(chosen.backup.plan)
    #expect(plan.folder == "/srv/backup/kith" && plan.at.description == "04:15" && plan.hasSecrets)
    #expect((plan.keptDays, plan.keptWeeks, plan.keptMonths) == (3, 2, 1))
    #expect(
      plan.cipher == .passphrase(file: "/etc/kith/backup.passphrase") && plan.command == ["/usr/bin/rclone", "copyto"])
    #expect(chosen.users == [0: .recorder] && chosen.logLevel == "debug")
    #expect(chosen.clientMemory.bytes == 128 << 20 && chosen.connectionsPerKey == 3)
    #expect(chosen.transcription.engines.count == 1)
  }
}
