import EventLoop
import Glibc
import Testing
import ZeroMQ

struct IPCTests {
  @Test("a socket's file is for its owner only, and so is its directory")
  func modes() async throws {
    let context = try Context()
    do {
      let directory = try TemporaryDirectory()
      var socket = try context.makeTestSocket(.router)
      try socket.bind(directory.runtime.endpoint("control.sock"))
      #expect(mode(of: directory.path) == 0o700)
      #expect(mode(of: "\(directory.path)/control.sock") == 0o600)
    }
    await context.terminateOffPool()
  }

  @Test("a path that is too long is refused by name, before libzmq cuts it")
  func longPath() throws {
    let longest = "/" + String(repeating: "x", count: 106)
    #expect(try IPCEndpoint(path: longest).url == "ipc://" + longest)
    #expect(throws: IPCError.pathTooLong(path: longest + "x", limit: 107)) {
      try IPCEndpoint(path: longest + "x")
    }
  }

  @Test("a directory that was open to others is closed, and a file is refused")
  func existing() throws {
    let directory = try TemporaryDirectory()
    chmod(directory.path, 0o777)
    _ = try RuntimeDirectory(path: directory.path)
    #expect(mode(of: directory.path) == 0o700)
    let file = "\(directory.path)/file"
    close(open(file, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: IPCError.notPrivate(path: file)) { try RuntimeDirectory(path: file) }
  }

  @Test("a lock has one holder, whom it names, and is free when the holder has gone")
  func lock() throws {
    let directory = try TemporaryDirectory()
    do {
      let lock = try directory.runtime.lock("kith.lock")
      #expect(throws: IPCError.locked(path: lock.path, holder: getpid())) {
        _ = try directory.runtime.lock("kith.lock")
      }
    }
    let again = try directory.runtime.lock("kith.lock")
    #expect(again.path == "\(directory.path)/kith.lock")
    again.release()
    let third = try directory.runtime.lock("kith.lock")
    // Does not release a lock that it no longer holds.
    again.release()
    #expect(throws: IPCError.locked(path: third.path, holder: getpid())) {
      _ = try directory.runtime.lock("kith.lock")
    }
  }

  @Test("an ipc address names user, group and process; nothing else is one")
  func peer() {
    let peer = IPCPeer(address: "localhost:1000:100:4242")
    #expect(peer?.uid == 1000)
    #expect(peer?.gid == 100)
    #expect(peer?.pid == 4242)
    for address in ["", "127.0.0.1", "localhost:1000:100", "localhost:x:1:1", "localhost:1:1:1:1", "evil:1:1:1"] {
      #expect(IPCPeer(address: address) == nil)
    }
  }

  private func mode(of path: String) -> mode_t {
    var status = stat()
    #expect(lstat(path, &status) == 0)
    return status.st_mode & 0o777
  }
}
