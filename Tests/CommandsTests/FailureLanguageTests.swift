import ArgumentParser
import Bus
import EventLoop
import Foundation
import KithMessages
import Testing

@testable import Commands

/// Reads all reasons and fields of failures from the sources: each new one needs its Japanese sentence.
@Suite("Failures exist in both languages")
struct FailureLanguageTests {
  /// The folders of `Sources` whose failures a bilingual command prints. A dot at the beginning excludes subfolders.
  private static let folders = [
    "Bus", "BusZeroMQ/Client", "./BusZeroMQ/Hub", "KithClient", "Commands/Care", "Commands/Channels", "Commands/Remind",
    "Commands/Files", "./Commands", "./Storage", "Storage/Care",
    "Storage/Reminders", "Storage/Deliveries",
    "CareRecorder",
    "Reminders", "Delivery", "Transcription", "Secrets",
  ]
  /// Those whose failures a page shows as well, or of which only reasons are told here.
  private static let pageFolders = [
    "MonicaAPI", "MonicaGateway", "ContactsSync", "Storage/Records", "WebRules", "Web", "./Hub", "Hub/Keys",
    "Storage/Jobs",
  ]
  /// Reasons of a daemon that cannot start, which say more in English than a sentence for all could.
  private static let elsewhere: Set<String> = [
    "CONFIG_INVALID", "CONFIG_UNREADABLE", "NOT_DURABLE", "SCHEMA_TOO_NEW", "STATE_DIRECTORY_UNUSABLE",
  ]
  /// Fields of a daemon's settings, of a worker's jobs, of a snapshot of events.
  private static let elsewhereFields: Set<String> = ["engines", "maximum_seconds", "audio", "page_token"]

  private static let sources = Self.texts(of: Self.folders)

  private static func texts(of folders: [String]) -> [String] {
    folders.flatMap { folder -> [String] in
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources").appending(path: folder).standardized
      let below = FileManager.default.enumerator(
        at: root, includingPropertiesForKeys: nil,
        options: folder.hasPrefix("./") ? [.skipsSubdirectoryDescendants] : [])
      let files = (below?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
      return files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }
  }

  private static func found(
    _ pattern: Regex<(Substring, Substring)>, in sources: [String] = Self.sources
  ) -> Set<String> {
    Set(sources.flatMap { $0.matches(of: pattern).map { String($0.1) } })
  }

  @Test("Every reason has its sentence")
  func reasons() {
    let reasons = Self.found(
      /Failure\(\s*\.\w+,\s*"([A-Z_]+)"/, in: Self.sources + Self.texts(of: Self.pageFolders)
    ).subtracting(Self.elsewhere)
    #expect(
      reasons.count > 110
        && reasons.isSuperset(of: ["CHANNEL_GONE", "HUB_NOT_RUNNING", "NO_ENGINE", "MONICA_TROUBLE", "HUB_AWAY"]))
    for reason in reasons where reason != "FIELD_INVALID" {
      let failure = Failure(.internal, reason, "English")
      #expect(failure.read(in: .japanese).message != "English", "\(reason)")
      #expect(failure.read(in: .english) == failure)
    }
  }

  @Test("Every field has its sentence")
  func fields() {
    let fields = Self.found(/field: "([a-z_.]+)"/).subtracting(Self.elsewhereFields)
    #expect(fields.count > 40 && fields.isSuperset(of: ["channel.mail.host", "in_days", "settings.keep_audio_hours"]))
    for field in fields {
      let failure = Failure.invalid(field: field, "English")
      let read = failure.read(in: .japanese)
      #expect(read.message.hasPrefix("\(field): ") && !read.message.contains("English"), "\(field)")
      #expect(read.status.details == failure.status.details)
    }
  }

  @Test("What has no channel is told the same kinds in both languages")
  func channels() {
    let lists = Self.found(/"give one of ([a-z, ]+)\."/)
    #expect(lists.count == 1)
    let read = Failure.invalid(field: "channel", "give one of \(lists.first ?? "").").read(in: .japanese).message
    for kind in lists.flatMap({ $0.replacing(" or ", with: ", ").split(separator: ", ") }) {
      #expect(read.contains(kind), "\(kind)")
    }
  }

  @Test("A field without a sentence of its own has that of its rule")
  func rules() {
    for (english, japanese) in [
      ("must not be empty.", "first_name: 入力してください。"),
      ("is 1500; must be from 0 to 1440.", "first_name: 0 から 1440 までの数にしてください。"),
      ("has 300 characters; at most 255 are kept.", "first_name: 300文字あります。255文字までにしてください。"),
      ("lies in the future. Check the day and the time zone.", "first_name: 未来の日時は使えません。日時を確認してください。"),
      ("is of its own kind.", "first_name: この内容は受け付けられません（is of its own kind.）"),
    ] {
      #expect(Failure.invalid(field: "first_name", english).read(in: .japanese).message == japanese)
    }
  }

  @Test("What a sentence says by itself comes before what its field takes, and that before a rule of many fields")
  func order() {
    for (field, english, japanese) in [
      ("text", "must not be empty.", "入力してください。"),
      ("name", "has 300 characters; at most 255 are kept.", "300文字あります。255文字までにしてください。"),
      ("times", "has the same time twice.", "同じ時刻が2回あります。"),
      ("occurred_at", "lies in the future. Check the day.", "未来の日時は使えません。日時を確認してください。"),
      (
        "to", "is not after the beginning, so nothing can be between them.",
        "終わりは始まりより後にしてください。日付を確認してください。"
      ),
      ("until", "is before the first day.", "終わりが始まりより前です。日付を確認してください。"),
      ("from", "must be a day as YYYY-MM-DD.", "日付は YYYY-MM-DD の形で書いてください。"),
      ("from", "must be a day from 1900 to 2200.", "1900年から2200年までの日付にしてください。"),
      (
        "from", "must be a day, at most 1100 days before the last one.", "YYYY-MM-DD の形で、最後の日より前の1100日以内の日付にしてください。"
      ),
      ("minutes", "is 1500; must be from 0 to 1440.", "1440分までにしてください。"),
      ("review", "must be one of none, needed, done.", "次のどれかにしてください: none, needed, done"),
    ] {
      #expect(Failure.invalid(field: field, english).read(in: .japanese).message == "\(field): \(japanese)")
    }
  }

  @Test("What kithd says of a speech engine is told in both languages, and what the engine says as it is")
  func engines() {
    let texts = Self.found(
      /\.(?:temporary|unreachable|unavailable|badAudio|failed)\((?:complaint \?\? )?"((?:[^"\\]|\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)"/,
      in: Self.texts(of: ["Transcription"]))
    #expect(texts.count > 25)
    for text in texts {
      let message = text.replacing("\\(complaint)", with: "").replacing("\\(what)", with: "in 'x'")
        .replacing(/\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/, with: "x")
      let read = EngineComplaint.words(message, .japanese)
      #expect(read != message && read.contains { $0 > "\u{3000}" }, "\(message)")
      #expect(EngineComplaint.words(message, .english) == message)
    }
    #expect(EngineComplaint.words("no model", .japanese) == "no model")
    #expect(EngineComplaint.words("it ended with 70: no model", .japanese) == "終了コード 70 で終わりました: no model")
  }

  @Test("Why there is no recording is told whole", arguments: ["recording", "typed", "transcribed", "gone"])
  func sounds(why: String) {
    let read = Failure(.failedPrecondition, "NO_SOUND", "English", details: ["why": why]).read(in: .japanese).message
    #expect(read.contains("録音") && (why == "gone") == read.contains("メモ"))
  }

  @Test("Why there is no backup, or why it was not taken, is told whole")
  func backups() {
    func read(_ reason: String, _ details: [String: String]) -> String {
      Failure(.internal, reason, "English", details: details).read(in: .japanese).message
    }
    for cause in [
      "folder_missing", "other_folder", "not_written", "key_file", "program", "archive", "cipher", "identity_missing",
    ] {
      let message = read("BACKUP_FAILED", ["path": "/mnt", "cause": cause])
      #expect(message.hasPrefix("バックアップ /mnt: ") && !message.contains("作れないか、読めません"), "\(cause)")
    }
    #expect(
      read(
        "BACKUP_NOT_TAKEN",
        ["worker": "attic", "worker_reason": "BACKUP_FAILED", "path": "/attic", "cause": "folder_missing"]
      ).hasPrefix("ワーカー attic がまだバックアップを受け取っていません。バックアップ /attic: フォルダーがありません。"))
    #expect(
      read("BACKUP_NOT_TAKEN", ["program": "/bin/take", "program_why": "not_run"])
        == "/bin/take がまだバックアップを受け取っていません。実行できません。パスと権限を確認してください。")
    #expect(read("FILE_UNWRITABLE", ["path": "/a", "errno": "13"]).hasPrefix("/a に書き込めません (権限がありません)。"))
  }

  @Test("The matches of an ambiguous name are listed")
  func ambiguous() {
    let match = NameMatch(
      noun: "人", candidates: ["1", "2"].map { .init(id: $0, shown: "Ann", names: ["Ann"]) }, list: "kith who",
      say: .japanese)
    let failure = #expect(throws: Failure.self) { try match.id(of: "ann") }
    #expect(failure?.read(in: .japanese).message == "「ann」は2件あります。ID で指定してください。\n  1  Ann\n  2  Ann")
  }

  @Test("A failure before the connection is in Japanese too")
  func unreached() async throws {
    let errors = Lock("")
    let console = Console(
      isTerminal: false, usesColour: false, out: { _ in }, err: { text in errors.withLock { $0 += text } })
    let code = await KithCommand.execute(
      ["call", "list", "--lang", "ja", "--hub", "tcp://127.0.0.1"], console: console)
    #expect(code == ExitStatus.failed.rawValue)
    #expect(errors.withLock { $0 } == "kith: --key: 鍵のファイルを指定してください。作るには: kith keys new --file ファイル\n")
  }
}
