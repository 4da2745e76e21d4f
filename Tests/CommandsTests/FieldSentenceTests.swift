import Bus
import Foundation
import KithMessages
import Testing

@testable import Commands
@testable import FailureWords
@testable import Fields

/// Reads what is said of fields from the sources: each sentence needs one in Japanese.
@Suite("What is wrong with a field is said in Japanese")
struct FieldSentenceTests {
  private static let folders = [
    "Assistants", "Bus", "BusZeroMQ", "CarePlan", "CareRecorder", "CareTally", "Commands", "ContactsSync", "Delivery",
    "Fields", "Hub", "KithClient", "MonicaAPI", "MonicaGateway", "Reminders", "Secrets", "Storage", "Transcription",
    "WebRules",
  ]
  /// What only programs and those who write them read, or what is read in the reader's language already.
  private static let elsewhere = [
    "/Assistants/", "RequestFrame.swift", "FileName.swift", "CardDAVSource.swift", "RecordPush.swift",
    "TranscriberService.swift",
    "HubConfiguration.swift", "TranscriptionSettings.swift", "WebRules/Settings.swift", "Encoding.swift",
    "IdempotencyKey.swift", "Target.swift", "TimeLimit.swift", "Doors.swift", "WorkPlane+Messages.swift",
    "EventLog.swift", "PhotoTable.swift", "ContactRow.swift", "RecordPull.swift", "SendMethodCommand.swift",
    "ImportCallsCommand.swift", "MeasureCommand.swift",
  ]

  /// All formats; the compiler names one that is missing in the test.
  private static let everyFormat: [FieldRules.Format] = [
    .any, .line, .word, .name, .day, .partialDay, .time, .amount, .country, .latitude, .longitude,
  ]

  private static let files: [(name: String, text: String)] = Self.folders.flatMap { folder -> [(String, String)] in
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/\(folder)")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return (files ?? []).filter { file in
      file.pathExtension == "swift" && !Self.elsewhere.contains { file.path().contains($0) }
    }.compactMap { file in (try? String(contentsOf: file, encoding: .utf8)).map { (file.path(), $0) } }
  }

  /// The texts in quotes of a piece of source, up to the parenthesis that closes it; 7 stands for what is put into them.
  private static func literals(_ source: Substring) -> [String] {
    var (found, depth, rest) = ([String](), 0, source)
    while let character = rest.popFirst(), depth >= 0 {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      guard character == "\"" else { continue }
      var text = ""
      while let next = rest.popFirst(), next != "\"" {
        guard next == "\\", let escaped = rest.popFirst() else {
          text.append(next)
          continue
        }
        guard escaped == "(" else {
          text.append(escaped)
          continue
        }
        var inner = 1
        while inner > 0, let part = rest.popFirst() { inner += part == "(" ? 1 : part == ")" ? -1 : 0 }
        text += "7"
      }
      found.append(text)
    }
    return found
  }

  /// A sentence about a field in the sources; the name of the field is nil where the code computes it.
  private struct Sentence {
    let file: String
    let field: String?
    let english: String

    var lastPart: String { self.field?.split(separator: ".").last.map(String.init) ?? "" }
  }

  private static let sentences: [Sentence] = Self.files.flatMap { file -> [Sentence] in
    // Its sentences are all about one field.
    if file.name.hasSuffix("MonicaEndpoint.swift") {
      return file.text.ranges(of: "Self.invalid(").flatMap { start in
        Self.literals(file.text[start.upperBound...]).map { Sentence(file: file.name, field: "endpoint", english: $0) }
      }
    }
    return file.text.ranges(of: ".invalid(").flatMap { start -> [Sentence] in
      let rest = file.text[start.upperBound...].drop(while: \.isWhitespace)
      guard rest.hasPrefix("field: ") else { return [] }
      let told = rest.dropFirst("field: ".count)
      let literals = Self.literals(told)
      let field = told.hasPrefix("\"") ? literals.first : nil
      return literals.dropFirst(field == nil ? 0 : 1).filter { english in
        english.contains(" ") && !english.contains(where: { $0 > "\u{3000}" })
      }.map { Sentence(file: file.name, field: field, english: $0) }
    }
  }

  @Test("Every sentence about a field")
  func all() {
    for sentence in Self.sentences {
      let field = sentence.field ?? "a_field"
      let read = Failure.invalid(field: field, sentence.english).inJapanese.message
      #expect(
        !read.contains(sentence.english) && read.contains { $0 > "\u{3000}" },
        "\(sentence.file.suffix(40)): \(field): \(sentence.english)")
    }
    #expect(Self.sentences.count > 150)
    #expect(Self.sentences.contains { $0.english == "leave out what follows '?' and '#'." })
  }

  @Test("No field is told the rule of another one whose name ends alike")
  func lastParts() {
    // 7 stands for a name that the code computes.
    let named = Dictionary(grouping: Self.sentences.filter { !["", "7"].contains($0.lastPart) }, by: \.lastPart)
    #expect(named.count > 40)
    for (name, sentences) in named
    where Failure.japaneseFields[name] != nil && Set(sentences.map(\.english)).count > 1 {
      for sentence in sentences where sentence.field.flatMap({ Failure.japaneseOfPaths[$0] }) == nil {
        #expect(
          SentencePair.japanese(of: sentence.english, among: SentencePair.telling) != nil,
          "\(sentence.file.suffix(40)): \(name): \(sentence.english)")
      }
    }
  }

  @Test("What a person called something is taken for no sentence")
  func quoted() {
    for (english, japanese) in [
      (
        "'Iron: must be given with food' is not due at that time. `kith plan` lists the times.",
        "「Iron: must be given with food」は、その時刻の予定ではありません。時刻の一覧: kith plan"
      ),
      (
        "nothing of 'Ann's: must not be empty' is due near now; name the time. `kith plan` lists the times.",
        "「Ann's: must not be empty」には近い時刻の予定がありません。kith plan で時刻を確認し、--due で指定してください。"
      ),
      (
        "'it's x' must be given' is of a kind to come.",
        "この内容は受け付けられません（'it's x' must be given' is of a kind to come.）"
      ),
      ("'x' is none of joy, grief.", "次のどれかにしてください: joy, grief"),
      ("a call's person must be given.", "入力してください。"),
    ] {
      #expect(Failure.invalid(field: "due", english).inJapanese.message == "due: \(japanese)")
    }
  }

  @Test("Every sentence of the rules of fields")
  func rules() {
    var count = 0
    for file in Self.files
    where ["FieldFormat.swift", "FieldCheck.swift", "CrossFieldRules.swift", "TextLimit.swift"].contains(
      where: file.name.hasSuffix)
    {
      let code = file.text.split(separator: "\n").filter { !$0.contains("///") }.joined(separator: "\n")
      // The excluded sentences follow another sentence or report an existing record. They describe no fault of a field.
      for english in Self.literals(code[...])
      where english.hasSuffix(".") && english.contains(" ")
        && !["Record another conversation.", "There is a tag '7' already.", "7 is recorded as 7 already."].contains(
          english)
      {
        count += 1
        let read = Failure.invalid(field: "a_field", english).inJapanese.message
        #expect(!read.contains(english), "\(english)")
      }
    }
    #expect(count > 25)
  }

  @Test("Every format of a text, with its numbers", arguments: Self.everyFormat)
  func formats(format: FieldRules.Format) throws {
    let wrong =
      switch format {
      case .any: "a\u{0}"
      case .line, .latitude: "a\nb"
      case .word: "two words"
      case .name: "Two Words"
      case .day, .partialDay, .time, .amount, .country, .longitude: "zzz"
      }
    let english =
      if format == .name {
        try #require(#expect(throws: Failure.self) { try GivenName.check(wrong, field: "f") }).status.details["f"]
      } else {
        format.fault(ofCharacters: wrong) ?? format.fault(of: wrong, now: nil)
      }
    let read = Failure.invalid(field: "a_field", try #require(english)).inJapanese.message
    #expect(!read.contains("受け付けられません") && read.hasSuffix("。"), "\(read)")
    for number in try #require(english).matches(of: /-?\d+/) where format != .name {
      #expect(read.contains(number.output), "\(read)")
    }
  }

  @Test(
    "What a field takes is that of the field, not of another one with the same name",
    arguments: [
      ("tags", "must be one word of letters, digits, '-' and '_'.", "空白のない1語にしてください。使えるのは、文字、数字、- と _ です。"),
      ("tags", "each must be one word of letters, digits, '-' and '_'.", "空白のない1語にしてください。使えるのは、文字、数字、- と _ です。"),
      ("tags", "has 21 entries; at most 20 are kept.", "21個あります。20個までにしてください。"),
      (
        "channel.ntfy.tags", "must be at most 5 words of letters, digits, hyphens and underscores.",
        "5個までの、英数字とハイフンと下線の言葉にしてください。"
      ),
      (
        "channel.mail.to", "must be 1 to 20 plain addresses such as ann@example.org.",
        "ann@example.org のようなアドレスを1～20件書いてください。"
      ),
      (
        "channel.line.to", "must be the id of a user, group or room: U, C or R and 32 hexadecimal digits.",
        "U、C、R のどれかで始まり、16進数32桁が続く LINE の ID にしてください。"
      ),
      (
        "name", "has to be 1 to 32 of a-z, 0-9 and hyphens, and begin with a letter or a digit.",
        "英小文字、数字、ハイフンの1～32文字にし、英小文字か数字で始めてください。"
      ),
      ("channel", "'pigeon' is not known. Choose one of email, phone.", "「pigeon」はありません。選べるもの: email, phone"),
      ("latitude", "must be decimal degrees from -90 to 90, such as 35.68.", "-90 から 90 までの度数を 35.68 のように書いてください。"),
      ("degrees", "is -91; must be from -90 to 90.", "-90 から 90 までの数にしてください。"),
      ("degrees", "must be from -180 to 180, such as 35.68.", "-180 から 180 までの数にしてください。"),
      (
        "country", "must be a country by its ISO 3166 code of two letters, such as JP.",
        "JP のような2文字の国コード (ISO 3166) にしてください。"
      ),
      ("first_name", "has 300 characters; at most 255 are kept.", "300文字あります。255文字までにしてください。"),
      ("note", "has 210000 bytes; at most 200000 go into one message.", "210000バイトあります。200000バイトまでにしてください。"),
      ("kind", "must be one of a, b, or empty.", "次のどれかにするか、空にしてください: a, b"),
      ("endpoint", "leave out what follows '?' and '#'.", "アドレスの「?」や「#」と、その後を除いてください。"),
      ("endpoint", "is not a usable address.", "このアドレスは使えません。サーバーのアドレスを確認してください。"),
      (
        "endpoint", "give the address of the server, or cloud for https://app.monicahq.com.",
        "サーバーのアドレスか、https://app.monicahq.com なら cloud を指定してください。"
      ),
      (
        "endpoint", "give the address of the server, such as https://monica.example.com.",
        "https://monica.example.com のようなサーバーのアドレスを指定してください。"
      ),
      (
        "endpoint",
        "is of no known push service. An admin can allow it in the configuration: [channels] push = [\"a.example\"]",
        "知られている通知サービスではありません。管理者が設定で許可できます: [channels] push = [\"a.example\"]"
      ),
      (
        "channel.ntfy.username", "must be at most 256 bytes, without colon or control character.",
        "256バイトまでの、コロン (:) と制御文字のない1行にしてください。"
      ),
      ("carddav.username", "must not contain a colon.", "コロン (:) は使えません。"),
      (
        "carddav.username", "must be at most 256 bytes, without control characters.",
        "256バイトまでの、制御文字のない1行にしてください。"
      ),
      (
        "server_key", "is not a key: 64 hex digits, as `kith keys show` prints them on the hub.",
        "鍵ではありません。kith keys show が表示する64桁の16進数にしてください。"
      ),
      (
        "public_key_z85", "is not a key: 64 hex digits, as `kith keys new` prints them.",
        "鍵ではありません。kith keys new が表示する64桁の16進数にしてください。"
      ),
      (
        "name", "'home' is read from the hub's disk and needs no password.",
        "「home」は kithd のあるマシンのディスクから読むため、パスワードは要りません。"
      ),
      (
        "ids", "name the changes to give up, or say all; not both.",
        "取り消す変更か、すべて (all) の、どちらか一方を指定してください。"
      ),
      ("format", "must be vcf, json or csv.", "vcf、json、csv のどれかにしてください。"),
      ("format", "must be csv, json or pdf.", "csv、json、pdf のどれかにしてください。"),
      ("format", "must be csv or json.", "csv か json にしてください。"),
      (
        "carddav.password_file", "give a password or a file that holds it, not both.",
        "パスワードかそのファイルの、どちらか一方を指定してください。"
      ),
      ("key", "has to be a private key in base64.", "秘密鍵を base64 で指定してください。"),
      (
        "time_zone", "'Mars' is no time zone. Give the name of one, such as Asia/Tokyo.",
        "「Mars」という時間帯はありません。Asia/Tokyo のような名前にしてください。"
      ),
      (
        "size", "is 7, and this upload was opened with 9. Abandon that upload to begin again.",
        "大きさが 7 バイトで、始めたときの 9 バイトと違います。最初からやり直してください。"
      ),
      ("port", "has to be between 1 and 65535.", "1 から 65535 までの数にしてください。"),
    ] as [(String, String, String)])
  func taken(field: String, english: String, japanese: String) {
    #expect(Failure.invalid(field: field, english).inJapanese.message == "\(field): \(japanese)")
  }

  @Test("What a channel's receiver says is kept")
  func channels() {
    func read(_ reason: String, _ message: String) -> String {
      Failure(.unavailable, reason, message).inJapanese.message
    }
    #expect(read("CHANNEL_TROUBLE", "The receiver of 'phone' reports a fault (503).") == "「phone」の送り先に障害が起きています (503)。")
    #expect(read("CHANNEL_TROUBLE", "The receiver of 'phone' reports a fault.") == "「phone」の送り先に障害が起きています。")
    #expect(
      read(
        "CHANNEL_REFUSED",
        "The receiver of 'phone' refuses the message (550 no such user (x)). Check the addresses of the channel.")
        == "「phone」の送り先が受け取りを拒みました (550 no such user (x))。宛先を確認してください。")
    #expect(
      read(
        "CHANNEL_LOGIN_REFUSED",
        "The receiver of 'phone' refuses the login (401). Correct it: kith channels login phone")
        == "「phone」の送り先がログインを拒みました (401)。直すには: kith channels login phone")
    #expect(read("CHANNEL_REFUSED", "Too many redirects.") == "送り先が受け取りを拒みました。宛先を確認してください。")
  }
}
