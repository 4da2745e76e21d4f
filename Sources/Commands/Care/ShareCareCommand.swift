internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithClient
internal import KithMessages

struct SummaryCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary", abstract: "Print the summary of a day, a week or a month.",
    discussion: """
      That of a week or a month counts: entries, what was given of the plan, and least, greatest and mean of what was measured.
      Example: kith care summary --day 2026-11-20 --lang ja
      Example: kith care summary --week --day 'last monday'
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The day, as with --day.")
  var date: DayArgument?

  @Option(help: "The day: 2026-11-20, yesterday, 'last monday', 昨日. Default: today.")
  var day: DayArgument?

  @OptionGroup var span: SummarySpanOption

  @Flag(help: "Leave out the list of memos: the timeline has them.")
  var short = false

  func run(_ session: Session) async throws {
    let reply = try await session.summary(
      of: self.day ?? self.date, span: self.span.span, short: self.short, in: self.global.lang)
    // The text ends with a line feed, and the console adds one to each line.
    try await session.show(reply, [String(reply.text.dropLast())])
  }
}

/// Whether a summary is of a day, a week or a month.
struct SummarySpanOption: ParsableArguments {
  @Flag(help: "The week of the day, Monday to Sunday.")
  var week = false

  @Flag(help: "The month of the day.")
  var month = false

  var span: SummarySpan? { self.week ? .week : self.month ? .month : nil }

  func validate() throws {
    guard !self.week || !self.month else { throw ValidationError("Choose one: --week or --month.") }
  }
}

extension Session {
  /// Requests a summary, and downloads its text if it is long.
  ///
  /// - Parameter language: That which was asked for. Otherwise a person reads it in that of the household, or if none is set, in
  ///   that of the locale.
  func summary(
    of day: DayArgument?, span: SummarySpan?, short: Bool, in language: Language?
  ) async throws(Failure) -> CareSummaryReply {
    var request = CareSummaryRequest()
    request.day = try await self.careDay(day)
    request.knownSpan = span
    request.short = short
    if let language {
      request.language = language.rawValue
    } else if !self.isJSON, try await self.ask(CareSettingsRequest()).language.isEmpty {
      request.language = self.language.rawValue
    }
    var reply = try await self.ask(request)
    guard reply.hasBlob else { return reply }
    var text: [UInt8] = []
    try await self.client.download(reply.blob) { piece throws(Failure) in text += piece }
    reply.text = String(decoding: text, as: UTF8.self)
    reply.clearBlob()
    return reply
  }
}

struct ShareCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Print the summary of a day, a week or a month, write it to a file, or send it.",
    discussion: """
      Without an option the summary is printed. --mailto and --line print a link that opens it in a program of your own; no
      account is needed. --to sends it over a channel in the background; `kith channels deliveries` shows the result.
      Example: kith care share --day 2026-11-20 --to family
      Example: kith care share --lang ja --file summary.txt
      """)

  static let columns = DeliveryTable.columns

  @OptionGroup var global: GlobalOptions

  @Option(help: "The day: 2026-11-20, yesterday, 'last monday', 昨日. Default: today.")
  var day: DayArgument?

  @OptionGroup var span: SummarySpanOption

  @Flag(help: "Leave out the list of memos: the timeline has them.")
  var short = false

  @Option(help: "A channel to send it over; may be repeated.", completion: Completion.channels)
  var to: [String] = []

  @Option(help: "Write it to a file that only you can read; - for standard output.", completion: .file())
  var file: String?

  @Flag(help: "Print a link that opens it as a mail.")
  var mailto = false

  @Flag(name: .customLong("line"), help: "Print a link that opens it in LINE on a phone.")
  var isForLine = false

  func validate() throws {
    guard [!self.to.isEmpty, self.file != nil, self.mailto, self.isForLine].count(where: { $0 }) <= 1 else {
      throw ValidationError("Choose one way: --to CHANNEL, --file FILE, --mailto or --line.")
    }
  }

  func run(_ session: Session) async throws {
    guard self.to.isEmpty else { return try await self.send(session) }
    let reply = try await session.summary(
      of: self.day, span: self.span.span, short: self.short, in: self.global.lang)
    if let file {
      let output = try OutputFile(path: file)
      let printsReport = !output.isStandardOutput
      try output.write(Array(reply.text.utf8))
      try output.commit()
      guard printsReport else { return }
      return try await session.show(reply, [session.language("Written to \(file).", "\(file) に書き出しました。")])
    }
    if self.mailto {
      let subject = String(reply.text.prefix { $0 != "\n" })
      return try await session.show(reply, [ShareLinks.mail(subject: subject, text: reply.text)])
    }
    if self.isForLine { return try await session.show(reply, [ShareLinks.line(text: reply.text)]) }
    // The text ends with a line feed, and the console adds one to each line.
    try await session.show(reply, [String(reply.text.dropLast())])
  }

  private func send(_ session: Session) async throws {
    var request = ShareCareRequest()
    request.day = try await session.careDay(self.day)
    request.knownSpan = self.span.span
    request.short = self.short
    request.language = self.global.lang?.rawValue ?? ""
    request.channels = self.to
    let reply = try await session.ask(request)
    try await session.show(reply, DeliveryTable(reply.deliveries).lines(session))
  }
}

/// Links that open a text in a program of the person's own; Kith needs no account.
enum ShareLinks {
  /// A link to a new mail, with lines ended by CR LF. RFC 6068.
  static func mail(subject: String, text: String) -> String {
    let lines = text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
    return "mailto:?subject=\(Self.encoded(subject))&body=\(Self.encoded(lines))"
  }

  /// A link to a new message in LINE on a phone: developers.line.biz, "LINE URL scheme", sharing text.
  static func line(text: String) -> String { "https://line.me/R/share?text=\(Self.encoded(text))" }

  /// Percent-encodes all but the unreserved characters of RFC 3986, section 2.3.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) || "-._~".utf8.contains(byte))
      bytes += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
