import Glibc
import KithMessages
import TestKit
import Testing

@testable import Bus

@Suite("Paths of the hub's disk")
struct HubPathsTests {
  private let directory: TemporaryDirectory
  private let paths: HubPaths
  private let user = Principal(name: "uid:1000", role: .admin)

  init() throws {
    self.directory = try TemporaryDirectory()
    for name in ["state", "secrets", "secrets2", "elsewhere"] { mkdir(self.directory.file(name), 0o700) }
    for name in ["state/kith.db", "secrets/token", "secrets2/token", "elsewhere/token"] {
      close(open(self.directory.file(name), O_CREAT | O_WRONLY, 0o600))
    }
    self.paths = HubPaths(own: [self.directory.file("state")], secretFolders: [self.directory.file("secrets")])
  }

  private func link(_ name: String, to target: String) {
    #expect(symlink(target, self.directory.file(name)) == 0)
  }

  /// Why a path is refused as a token file; nil if it is allowed.
  private func refusal(token path: String, by principal: Principal? = nil) async -> Failure? {
    var login = LoginRequest()
    login.tokenFile = path
    return await self.refusal(login, by: principal)
  }

  private func refusal(folder path: String, by principal: Principal? = nil) async -> Failure? {
    var source = AddSourceRequest()
    source.vdir.path = path
    return await self.refusal(source, by: principal)
  }

  private func refusal(_ command: any Command, by principal: Principal? = nil) async -> Failure? {
    do throws(Failure) {
      try await self.paths.check(command, by: principal ?? self.user)
      return nil
    } catch { return error }
  }

  @Test(
    "A path is absolute and of a length that can be one",
    arguments: ["token", "./x", "~/x", "/a\0b", "/" + String(repeating: "x", count: 4096)])
  func shape(path: String) async {
    let failure = await self.refusal(token: path)
    #expect(failure?.reason == "FIELD_INVALID")
    // Also refused for the hub itself, which may name any path.
    #expect(await self.refusal(token: path, by: .hub)?.reason == "FIELD_INVALID")
  }

  @Test("Nobody on another machine names a file, whatever its role")
  func otherMachines() async {
    for path in ["secrets/token", "elsewhere/token"].map(self.directory.file) {
      let far = Principal(name: "key:laptop", role: .admin)
      #expect(await self.refusal(token: path, by: far)?.reason == "PATH_NOT_ALLOWED")
      #expect(await self.refusal(folder: path, by: far)?.reason == "PATH_NOT_ALLOWED")
      #expect(await self.refusal(token: path, by: .hub) == nil)
    }
    #expect(await self.refusal(token: "", by: Principal(name: "key:laptop", role: .admin)) == nil)
  }

  @Test("A secret is in one of the folders, also one that is not there yet; a folder of cards is anywhere")
  func folders() async {
    for name in ["secrets/token", "secrets/new", "secrets/new/deeper", "secrets/../secrets/token"] {
      #expect(await self.refusal(token: self.directory.file(name)) == nil, "\(name)")
    }
    for name in ["elsewhere/token", "secrets2/token", "secrets/../elsewhere/token", "secrets/..", "new"] {
      let failure = await self.refusal(token: self.directory.file(name))
      #expect(failure?.reason == "PATH_NOT_ALLOWED", "\(name)")
      #expect(failure?.status.details.keys.first == "token_file")
      #expect(await self.refusal(folder: self.directory.file(name)) == nil, "\(name)")
    }
    let message = await self.refusal(token: self.directory.file("elsewhere/token"))?.message ?? ""
    #expect(message.contains(self.directory.file("secrets")) && message.contains("secrets.folders"))
  }

  @Test("No link leads out of a folder, and a folder may be a link itself")
  func links() async throws {
    self.link("secrets/out", to: self.directory.file("elsewhere/token"))
    self.link("secrets/folder", to: "../elsewhere")
    self.link("secrets/nowhere", to: "missing")
    self.link("in", to: "secrets")
    self.link("loop", to: "loop")
    for name in ["secrets/out", "secrets/folder/token", "secrets/folder/new", "secrets/nowhere", "loop", "loop/x"] {
      #expect(await self.refusal(token: self.directory.file(name))?.reason == "PATH_NOT_ALLOWED", "\(name)")
    }
    #expect(await self.refusal(token: self.directory.file("in/token")) == nil)
    let linked = HubPaths(secretFolders: [self.directory.file("in")])
    var login = LoginRequest()
    login.tokenFile = self.directory.file("secrets/token")
    try await linked.check(login, by: self.user)
  }

  @Test("kithd's own directories are nobody's, by whatever way")
  func own() async {
    self.link("elsewhere/way", to: self.directory.file("state"))
    for name in ["state", "state/kith.db", "state/new", "elsewhere/way", "elsewhere/way/kith.db", "elsewhere/../state"]
    {
      #expect(await self.refusal(folder: self.directory.file(name))?.reason == "PATH_NOT_ALLOWED", "\(name)")
    }
    #expect(await self.refusal(folder: self.directory.path) == nil)
    #expect(await self.refusal(folder: "/") == nil)
  }

  @Test("Without folders no file with a secret is named, and with the root all are")
  func extremes() async throws {
    var login = LoginRequest()
    login.tokenFile = self.directory.file("secrets/token")
    await #expect(throws: Failure.self) { try await HubPaths().check(login, by: self.user) }
    try await HubPaths(secretFolders: ["/"]).check(login, by: self.user)
    await #expect(throws: Failure.self) {
      try await HubPaths(secretFolders: [self.directory.file("missing")]).check(login, by: self.user)
    }
  }

  @Test("A program is for the list of those that channels may run")
  func programs() async {
    var channel = AddChannelRequest()
    channel.channel.command.program = "/usr/bin/true"
    #expect(await self.refusal(channel) == nil)
    channel.channel.secretFile = self.directory.file("elsewhere/token")
    #expect(await self.refusal(channel)?.status.details.keys.first == "channel.secret_file")
  }

  @Test("Folders are compared as the disk has them")
  func bytes() async throws {
    // Equal texts, but two folders.
    let (allowed, other) = (self.directory.file("caf\u{E9}"), self.directory.file("cafe\u{301}"))
    for folder in [allowed, other] {
      mkdir(folder, 0o700)
      close(open(folder + "/token", O_CREAT | O_WRONLY, 0o600))
    }
    var login = LoginRequest()
    func refusal(_ path: String, _ paths: HubPaths) async -> Failure? {
      login.tokenFile = path
      do throws(Failure) {
        try await paths.check(login, by: self.user)
        return nil
      } catch { return error }
    }
    let paths = HubPaths(secretFolders: [allowed])
    #expect(await refusal(allowed + "/token", paths) == nil)
    #expect(await refusal(other + "/token", paths)?.reason == "PATH_NOT_ALLOWED")
    // A combining mark at the start of a name forms one character with the slash before it.
    let own = HubPaths(own: [other], secretFolders: [self.directory.path])
    #expect(await refusal(allowed + "/token", own) == nil)
    for name in ["/token", "/\u{301}token"] {
      #expect(await refusal(other + name, own)?.reason == "PATH_NOT_ALLOWED")
    }
  }
}
