import Bus
import Foundation
import KithMessages
import Secrets
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SecretStoreTests {
  @Test("a directory keeps a secret for its owner alone, gives it back, replaces and forgets it")
  func directory() async throws {
    let place = try TemporaryDirectory()
    let store = SecretDirectory(path: place.path + "/secrets")
    #expect(try await store.secret(named: "contacts-home") == nil)
    try await store.keep("pässword\nwith a line", named: "contacts-home")
    #expect(try await store.secret(named: "contacts-home") == "pässword\nwith a line")
    #expect(try Self.mode(place.path + "/secrets") == 0o700)
    #expect(try Self.mode(place.path + "/secrets/contacts-home") == 0o600)
    try await store.keep("other", named: "contacts-home")
    #expect(try await store.secret(named: "contacts-home") == "other")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path + "/secrets") == ["contacts-home"])
    try await store.forget("contacts-home")
    try await store.forget("contacts-home")
    #expect(try await store.secret(named: "contacts-home") == nil)
  }

  @Test("a file that others may read, an empty one and one that is no text are refused with what to do")
  func refused() async throws {
    let place = try TemporaryDirectory()
    let path = place.path + "/password"
    for (content, mode, hint) in [
      (Data("secret\n".utf8), 0o644, "chmod 600"), (Data(), 0o600, "empty"), (Data([0xff, 0xfe]), 0o600, "UTF-8"),
    ] {
      try content.write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let failure = #expect(throws: Failure.self) { try SecretFile(path: path).read() }
      #expect(failure?.reason == "SECRET_UNREADABLE")
      #expect(failure?.message.contains(hint) == true)
      #expect(failure?.message.contains("secret\n") == false)
    }
    try Data("secret\n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try SecretFile(path: path).read() == "secret")
    #expect(try SecretFile(path: place.path + "/none").read() == nil)
  }

  @Test("a credential of systemd stands before what is kept")
  func credentials() async throws {
    let place = try TemporaryDirectory()
    let store = SecretSources(credentials: place.path, store: SecretDirectory(path: place.path + "/secrets"))
    try await store.keep("kept", named: "contacts-home")
    #expect(try await store.secret(named: "contacts-home") == "kept")
    let credential = place.path + "/contacts-home"
    try Data("given".utf8).write(to: URL(fileURLWithPath: credential))
    // The second is what a service with its own user sees.
    for mode in [0o400, 0o440] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: credential)
      #expect(try await store.secret(named: "contacts-home") == "given")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: credential)
    await #expect(throws: Failure.self) { try await store.secret(named: "contacts-home") }
  }

  @Test("a secret and its row change together, and after a commit that fails the secret is as before")
  func rows() async throws {
    let place = try TemporaryDirectory()
    let store = SecretDirectory(path: place.path + "/secrets")
    func change(_ secret: String?, fails: Bool) async throws -> String? {
      let full = Failure(.unavailable, "DISK_FULL", "The disk is full.")
      do throws(Failure) {
        try await store.keep(secret, named: "contacts-home") { () async throws(Failure) in if fails { throw full } }
        #expect(!fails)
      } catch {
        #expect(error.reason == full.reason)
      }
      return try await store.secret(named: "contacts-home")
    }
    #expect(try await change("one", fails: true) == nil)
    #expect(try await change("one", fails: false) == "one")
    #expect(try await change("two", fails: true) == "one")
    #expect(try await change(nil, fails: false) == "one")
    // A row without a secret deletes what an earlier row of its name left.
    #expect(try await change("", fails: true) == "one")
    #expect(try await change("", fails: false) == nil)
  }

  @Test("a secret that cannot be read is replaced, and stays replaced when the commit fails")
  func unreadableBefore() async throws {
    let place = try TemporaryDirectory()
    let store = SecretDirectory(path: place.path + "/secrets")
    try await store.keep("seen by all", named: "contacts-home")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: place.path + "/secrets/contacts-home")
    let failure = await #expect(throws: Failure.self) {
      try await store.keep("new", named: "contacts-home") { () async throws(Failure) in throw .cancelled }
    }
    #expect(failure?.code == .cancelled)
    #expect(try await store.secret(named: "contacts-home") == "new")
  }

  @Test("a credential of systemd is not copied into the store when a commit fails")
  func credentialStaysOutside() async throws {
    let place = try TemporaryDirectory()
    let kept = SecretDirectory(path: place.path + "/secrets")
    let store: any SecretStore = SecretSources(credentials: place.path, store: kept)
    let credential = place.path + "/contacts-home"
    try Data("given".utf8).write(to: URL(fileURLWithPath: credential))
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: credential)
    await #expect(throws: Failure.self) {
      try await store.keep("new", named: "contacts-home") { () async throws(Failure) in throw .cancelled }
    }
    #expect(try await kept.secret(named: "contacts-home") == nil)
  }

  @Test("the keyring gets a secret through a pipe, never as an argument")
  func keyring() async throws {
    let place = try TemporaryDirectory()
    // Replaces libsecret's program: the same commands, on files.
    let tool = try Self.tool(
      """
      echo "$@" >> "\(place.path)/arguments"
      for last; do :; done
      case $1 in
        store) cat > "\(place.path)/item-$last" ;;
        lookup) cat "\(place.path)/item-$last" 2>/dev/null ;;
        clear) rm "\(place.path)/item-$last" ;;
      esac
      """, in: place)
    let store = SecretService(tool: tool)
    #expect(try await store.secret(named: "contacts-home") == nil)
    try await store.keep("hush-hush", named: "contacts-home")
    #expect(try await store.secret(named: "contacts-home") == "hush-hush")
    try await store.forget("contacts-home")
    #expect(try await store.secret(named: "contacts-home") == nil)
    let arguments = try String(contentsOfFile: place.path + "/arguments", encoding: .utf8)
    #expect(arguments.contains("contacts-home") && !arguments.contains("hush-hush"))
    let missing = await #expect(throws: Failure.self) {
      try await SecretService(tool: place.path + "/absent").keep("x", named: "contacts-home")
    }
    #expect(missing?.message.contains("libsecret-tools") == true)
  }

  /// Writes a program that replaces libsecret's.
  private static func tool(_ script: String, in place: TemporaryDirectory) throws -> String {
    try place.program(script, named: "secret-tool")
  }

  @Test("a keyring that cannot be asked is not one without the secret")
  func lockedKeyring() async throws {
    let place = try TemporaryDirectory()
    let away = SecretService(
      tool: try Self.tool("cat >/dev/null; echo 'secret-tool: Cannot autolaunch D-Bus' >&2; exit 1", in: place))
    for work in [
      { _ = try await away.secret(named: "contacts-home") }, { try await away.keep("hush", named: "contacts-home") },
      { try await away.forget("contacts-home") },
    ] as [() async throws -> Void] {
      let failure = await #expect(throws: Failure.self) { try await work() }
      #expect(failure?.message.contains("D-Bus") == true)
    }
    let locked = SecretService(tool: try Self.tool("exec sleep 600", in: place), limit: .milliseconds(50))
    let failure = await #expect(throws: Failure.self) { try await locked.secret(named: "contacts-home") }
    #expect(failure?.reason == "SECRET_UNREADABLE")
    #expect(failure?.message.contains("unlock") == true)
  }

  @Test("keyrings that wait to be unlocked hold nobody else")
  func waitingKeyrings() async throws {
    let place = try TemporaryDirectory()
    let count = ProcessInfo.processInfo.activeProcessorCount * 4
    // Each waits until all have begun.
    let tool = try Self.tool(
      """
      touch "\(place.path)/begun-$$"
      while [ $(ls "\(place.path)" | grep -c begun) -lt \(count) ]; do sleep 0.01; done
      echo given
      """, in: place)
    let given = try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask { try await SecretService(tool: tool, limit: .seconds(240)).secret(named: "contacts-home") }
      }
      return try await group.reduce(into: 0) { given, secret in given += secret == "given\n" ? 1 : 0 }
    }
    #expect(given == count)
  }

  private static func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }
}
