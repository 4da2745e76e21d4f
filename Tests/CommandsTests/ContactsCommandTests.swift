import Bus
import Digest
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Commands

@Suite("kith contacts")
struct ContactsCommandTests {
  private let ann = Contact.with {
    $0.id = "id-1"
    $0.source = "home"
    $0.sourceIdentifier = "ann.vcf"
    $0.formattedName = "Ann Lee"
    $0.organization = "Acme"
    $0.phones = [
      .with { $0.value = "1" },
      .with {
        $0.label = "mobile"
        $0.value = "+44 20"
        $0.pref = 1
      },
    ]
    $0.emails = [
      .with {
        $0.label = "work"
        $0.value = "ann@acme.test"
      }
    ]
    $0.addresses = [
      .with {
        $0.street = "1 High St"
        $0.postalCode = "N1"
        $0.city = "London"
      }
    ]
    $0.updatedAt = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds - 120)
  }

  private func synced(_ change: (inout SyncStatus) -> Void = { _ in }) -> SyncReply {
    var status = SyncStatus()
    status.source = "contacts:home"
    status.state = .completed
    status.live = 1200
    status.added = 12
    status.unchanged = 1188
    status.finishedAt = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds - 5)
    change(&status)
    return .with { $0.sources = [status] }
  }

  @Test("A list is a table whose columns align, also with wide characters")
  func list() async throws {
    let kana = Contact.with {
      $0.id = "id-2"
      $0.formattedName = "山田太郎"
      $0.deletedAt = CommandRun.now
    }
    let run = try await CommandRun.of("contacts", "list", "--limit", "2") { _ in
      ListContactsReply.with {
        $0.contacts = [self.ann, kana]
        $0.nextCursor = "abc"
      }
    }
    #expect(
      run.output == """
        NAME                PHONE   EMAIL          ID
        Ann Lee             +44 20  ann@acme.test  id-1
        山田太郎 (deleted)                         id-2

        There are more. To see all, add --all; to continue, add --cursor abc

        """)
    #expect((run.sent.first as? ListContactsRequest)?.limit == 2)
  }

  @Test("Empty lists have a sentence")
  func empty() async throws {
    #expect(try await CommandRun.of("contacts", "list") { _ in ListContactsReply() }.output == "No contacts found.\n")
    #expect(
      try await CommandRun.of("contacts", "search", "x") { _ in SearchContactsReply() }.output == "No contacts found.\n"
    )
    #expect(
      try await CommandRun.of("contacts", "problems") { _ in ListProblemsReply() }.output == "No problems found.\n")
    #expect(
      try await CommandRun.of("contacts", "source", "list") { _ in ListSourcesReply() }.output.hasPrefix(
        "No sources found."))
    #expect(try await CommandRun.of("contacts", "status") { _ in SyncReply() }.output.hasPrefix("No sources found."))
  }

  @Test("Search sends its words as one text")
  func search() async throws {
    let run = try await CommandRun.of("contacts", "search", "ann", "lee") { _ in
      SearchContactsReply.with { $0.contacts = [self.ann] }
    }
    #expect((run.sent.first as? SearchContactsRequest)?.text == "ann lee")
    #expect(run.output.contains("Ann Lee"))
  }

  @Test("One contact is shown with a line for each field that is set")
  func show() async throws {
    let run = try await CommandRun.of("contacts", "show", Household.annID) { _ in
      GetContactReply.with { $0.contact = self.ann }
    }
    #expect(
      run.output == """
        Ann Lee
          Organisation    Acme
          Phone           1
          Phone (mobile)  +44 20
          Email (work)    ann@acme.test
          Address         1 High St, N1 London
          Source          home, ann.vcf
          Updated         2 minutes ago
          ID              id-1

        """)
  }

  @Test("A name cannot move the cursor or colour the terminal")
  func escapes() async throws {
    let evil = Contact.with { $0.formattedName = "A\u{1B}[2J\nB" }
    let run = try await CommandRun.of("contacts", "list") { _ in ListContactsReply.with { $0.contacts = [evil] } }
    #expect(!run.output.contains("\u{1B}"))
    #expect(run.output.split(separator: "\n").count == 2)
  }

  @Test("JSON is the reply on one line")
  func json() async throws {
    let run = try await CommandRun.of("--json", "contacts", "show", Household.annID) { _ in
      GetContactReply.with { $0.contact.formattedName = "Ann" }
    }
    #expect(run.output == #"{"contact":{"formattedName":"Ann"}}"# + "\n")
  }

  @Test("A sync prints counts per source")
  func sync() async throws {
    let run = try await CommandRun.of("contacts", "sync", "home", "--full") { _ in self.synced() }
    #expect(run.output == "home: completed just now, 1,200 contacts: 12 added, 1,188 unchanged\n")
    #expect(run.code == 0)
    let request = try #require(run.sent.first as? SyncRequest)
    #expect(request.sources == ["home"])
    #expect(request.full)
    #expect(!request.allowMassDelete)
  }

  @Test("An address book that could not be read is not counted as a card")
  func bookUnavailable() async throws {
    let run = try await CommandRun.of("contacts", "sync") { _ in
      self.synced {
        $0.error.reason = "BOOK_UNAVAILABLE"
        $0.error.message = "1 address book could not be read: work. The contacts of it stay."
      }
    }
    #expect(run.output.contains("  1 address book could not be read: work."))
    #expect(run.output.contains("kith contacts problems --source home") && !run.output.contains("1 card"))
    #expect(run.code == 0)
  }

  @Test(
    "Each reason of held-back deletions has its words",
    arguments: [
      ("BOOK_GONE", "their address book is gone from the account"), ("LISTING_EMPTY", "shows no card at all"),
      ("ALL_WOULD_GO", "every contact would be deleted"),
    ])
  func reasons(_ reason: String, _ words: String) async throws {
    let run = try await CommandRun.of("contacts", "sync") { _ in
      self.synced {
        $0.heldBack = 3
        $0.holdReason = reason
      }
    }
    #expect(run.output.contains("3 deletions held back, because") && run.output.contains(words))
    #expect(run.output.contains("kith contacts sync home --allow-mass-delete"))
  }

  @Test("Held-back deletions come with the command that carries them out")
  func held() async throws {
    let run = try await CommandRun.of("contacts", "sync") { _ in
      self.synced {
        $0.heldBack = 300
        $0.holdReason = "TOO_MANY"
        $0.skipped = 1
      }
    }
    #expect(run.output.contains("300 deletions held back, because so many at once may be a mistake."))
    #expect(run.output.contains("kith contacts sync home --allow-mass-delete"))
    #expect(run.output.contains("1 card or folder could not be read."))
    #expect(run.code == 0)
  }

  @Test("A failed source makes the exit code 1, after everything is printed", arguments: [true, false])
  func syncFailed(isJSON: Bool) async throws {
    let reply = self.synced {
      $0.state = .error
      $0.error.message = "The folder cannot be read."
    }
    let run =
      isJSON
      ? try await CommandRun.of("contacts", "sync", "--json") { _ in reply }
      : try await CommandRun.of("contacts", "sync") { _ in reply }
    #expect(run.code == 1)
    #expect(run.output.contains("The folder cannot be read."))
  }

  @Test("A source's path is made absolute")
  func addSource() async throws {
    let run = try await CommandRun.of("contacts", "source", "add", "home", "--vdir", "cards") { _ in
      Source.with { $0.name = "home" }
    }
    let request = try #require(run.sent.first as? AddSourceRequest)
    #expect(request.vdir.path == FileManager.default.currentDirectoryPath + "/cards")
    #expect(run.output == "Added home. Fetch its contacts: kith contacts sync home\n")
  }

  @Test("A source that cannot be read makes the exit code 1")
  func testSource() async throws {
    let run = try await CommandRun.of("contacts", "source", "test", "home") { _ in
      TestSourceReply.with { $0.error.message = "No such folder." }
    }
    #expect(run.code == 1)
    #expect(run.output == "home cannot be read. No such folder.\n")
  }

  @Test("Problems are paged through, with file and line")
  func problems() async throws {
    let run = try await CommandRun.of("contacts", "problems") { command in
      let isFirst = (command as? ListProblemsRequest)?.cursor.isEmpty == true
      return ListProblemsReply.with {
        $0.problems = [
          .with {
            $0.source = "home"
            $0.sourceIdentifier = isFirst ? "a.vcf" : "b.vcf"
            $0.line = isFirst ? 7 : 0
            $0.kind = "no_end"
            $0.skipped = isFirst
            $0.firstSeenAt = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds - 7200)
          }
        ]
        $0.nextCursor = isFirst ? "next" : ""
      }
    }
    #expect(
      run.output == """
        SOURCE  CARD     WHAT    RESULT    SEEN
        home    a.vcf:7  no_end  skipped   2 hours ago
        home    b.vcf    no_end  repaired  2 hours ago

        """)
  }

  @Test(
    "A deleted contact is restored by its name, and one whose deletion is held back",
    arguments: [
      ("ann lee", "id-1", nil), ("Bob", "id-2", nil), ("cleo", nil, "No contact is called \"cleo\""),
      ("Lee", nil, "  id-1  Ann Lee\n"),
    ]
      as [(String, String?, String?)])
  func restore(name: String, id: String?, error: String?) async throws {
    @Sendable func contact(_ id: String, _ name: String, isDeleted: Bool) -> Contact {
      .with {
        $0.id = id
        $0.formattedName = name
        if isDeleted { $0.deletedAt = CommandRun.now }
      }
    }
    let run = try await CommandRun.of("contacts", "restore", name, "--lang", "en") { command throws(Failure) in
      switch command {
      case let list as ListContactsRequest:
        return ListContactsReply.with {
          $0.contacts =
            list.heldBack
            ? [contact("id-2", "Bob", isDeleted: false)]
            : [contact("id-1", "Ann Lee", isDeleted: true), contact("id-3", "Cleo", isDeleted: false)]
        }
      case let restore as RestoreContactRequest: return GetContactReply.with { $0.contact.id = restore.id }
      case is FindIdsRequest: return FindIdsReply()
      default: throw Failure(.notFound, "RECORD_UNKNOWN", "none")
      }
    }
    #expect(run.sent.compactMap { ($0 as? RestoreContactRequest)?.id }.first == id)
    #expect(error.map(run.errors.contains) ?? run.errors.isEmpty, "\(run.errors)")
  }

  @Test("A part of an id that several deleted contacts have lists them, where none has it as its name")
  func restoreByPart() async throws {
    func run(_ text: String, named name: String = "Cleo") async throws -> CommandRun {
      try await CommandRun.of("contacts", "restore", text, "--lang", "en") { command throws(Failure) in
        switch command {
        case let list as ListContactsRequest:
          return ListContactsReply.with {
            guard !list.heldBack else { return }
            $0.contacts = [
              .with {
                $0.id = "id-3"
                $0.formattedName = name
                $0.deletedAt = CommandRun.now
              }
            ]
          }
        case let find as FindIdsRequest:
          return FindIdsReply.with {
            $0.ids = find.piece.isEmpty ? ["id-9"] : find.piece == "abba" ? ["id-1", "id-2"] : []
          }
        case let get as GetContactRequest: return GetContactReply.with { $0.contact.id = get.id }
        case let restore as RestoreContactRequest: return GetContactReply.with { $0.contact.id = restore.id }
        default: throw Failure(.notFound, "RECORD_UNKNOWN", "none")
        }
      }
    }
    let several = try await run("abba")
    #expect(several.errors.contains("\"abba\" may be one of 2. Give the id of the contact that you mean:\n  id-1"))
    #expect(!several.sent.contains { $0 is RestoreContactRequest })
    for (text, name, id) in [("abba", "Abba", "id-3"), ("last", "Cleo", "id-9")] {
      let one = try await run(text, named: name)
      #expect(one.errors.isEmpty && one.sent.compactMap { ($0 as? RestoreContactRequest)?.id } == [id], "\(one.errors)")
    }
  }

  @Test("What is wrong with a card is told in the reader's language")
  func problemWords() async throws {
    for (language, words) in [
      ("en", "A date has no known form and was kept as text."), ("ja", "日付の形がわからないため、文字のまま残しました。"),
    ] {
      let run = try await CommandRun.of("contacts", "problems", "--lang", language) { _ in
        ListProblemsReply.with {
          $0.problems = [
            .with {
              $0.kind = "unreadable_date"
              $0.message = "A date has no known form and was kept as text."
            }
          ]
        }
      }
      #expect(run.output.contains(words), "\(run.output)")
    }
  }

  @Test("A photo is written whole, and an existing file is replaced")
  func photo() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("ann.jpg")
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    let bytes = [UInt8](repeating: 7, count: 300_000)
    let contact = Contact.with {
      $0.photo.sha256 = Hex.encode(SHA256.digest(bytes))
      $0.photo.size = UInt64(bytes.count)
    }
    let piece: @Sendable (any KithMessages.Command) -> [[UInt8]] = { command in
      guard let request = command as? BlobGetRequest else { return [] }
      return [Array(bytes.dropFirst(Int(request.offset)).prefix(256 << 10))]
    }
    let run = try await CommandRun.of("contacts", "photo", Household.annID, "-o", path, attachments: piece) { command in
      if command is BlobGetRequest { return BlobGetReply() }
      return GetContactReply.with { $0.contact = contact }
    }
    #expect(run.code == 0)
    #expect(run.output == "Wrote 300.0 kB to \(path).\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["ann.jpg"])
  }

  @Test("A blob that arrives damaged leaves the file as it was")
  func damaged() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("out.vcf")
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    let run = try await CommandRun.of("contacts", "export", "-o", path, attachments: { _ in [[1]] }) { command in
      if command is BlobGetRequest { return BlobGetReply() }
      return BlobRef.with {
        $0.sha256 = "00"
        $0.size = 1
      }
    }
    #expect(run.code == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["out.vcf"])
  }

  @Test("A contact without a photo says so")
  func noPhoto() async throws {
    let run = try await CommandRun.of("contacts", "photo", Household.annID, "-o", "/nowhere/x") { _ in
      GetContactReply.with { $0.contact = self.ann }
    }
    #expect(run.code == 1)
    #expect(run.errors == "kith: Ann Lee has no photo.\n")
  }
}
