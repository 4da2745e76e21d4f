import Bus
import Foundation
import Glibc
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// After a process was killed in the middle of a pass, the next pass makes the store equal to the server.
@Suite(.timeLimit(.minutes(10))) struct SyncKillTests {
  private static let calls = 12
  private static let people = 23

  @Test(arguments: [
    "monica.push.begun:1", "monica.push.begun:2", "monica.push.sent:1", "monica.push.sent:5", "monica.push.stored:1",
    "monica.push.stored:4", "monica.pull.page:1", "monica.pull.page:4", "monica.pull.stored:2", "monica.pull.stored:5",
  ])
  func theNextPassEndsEqualToTheServer(_ point: String) async throws {
    let root = try SyncHome.directory()
    await #expect(processExitsWith: .signal(SIGKILL)) { [point = point as String, root = root as String] in
      setenv("KITH_FAULT_POINT", point, 1)
      let home = try await SyncHome(root: root, serverFile: root + "/server")
      for number in 1...Self.people { home.server.makePerson("p\(number)") }
      let ann = try await home.person("Ann")
      for number in 1...Self.calls { try await home.note(ann, "note \(number)") }
      try await home.sync()
    }
    let home = try await SyncHome(root: root, serverFile: root + "/server")
    await home.rest()
    home.pass(SyncHome.minute)
    let status = try await home.sync(full: true)
    #expect(status.sync.state == .completed && status.pending == 0 && status.failed == 0 && status.conflicts == 0)
    let names = ["Ann"] + (1...Self.people).map { "p\($0)" }
    #expect(home.server.texts(.person) == names.sorted())
    #expect(try await home.all(Person.self).map(\.firstName).sorted() == names.sorted())
    let notes = (1...Self.calls).map { "note \($0)" }
    #expect(home.server.texts(.note) == notes.sorted())
    #expect(try await home.all(Note.self).map(\.body).sorted() == notes.sorted())
    await home.close()
  }

  @Test func whatTheStoreForgotToSettleIsTakenUpInTheNextPass() async throws {
    let home = try await SyncHome()
    let ann = try await home.person("Ann")
    try await home.sync(pushOnly: true)
    try await home.note(ann, "hello")
    let now = home.now
    // It was sent, and its answer could not be stored.
    try await home.storage.write { transaction throws(Failure) in
      let due = try transaction.outbox.due(now: now, limit: 4)
      #expect(try transaction.outbox.begin(due.map(\.row), now: now).count == 1)
    }
    // The server may still be running the request.
    #expect(try await home.sync(pushOnly: true).pending == 1)
    home.pass(SyncHome.minute)
    #expect(try await home.sync(pushOnly: true).pending == 0)
    #expect(home.server.texts(.note) == ["hello"])
    await home.close()
  }
}
