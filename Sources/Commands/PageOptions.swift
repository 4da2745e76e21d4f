internal import ArgumentParser
internal import Bus
internal import KithMessages

/// The most records to show.
struct LimitOption: ParsableArguments {
  private static let usual: UInt32 = 50
  static let most: UInt32 = 500

  @Option(help: "How many to show, at most 500. Default: 50.")
  var limit: UInt32?

  /// The limit that was given, or the usual one.
  var count: UInt32 { self.limit ?? Self.usual }

  func validate() throws {
    guard (1...Self.most).contains(self.count) else { throw ValidationError("--limit takes a number from 1 to 500.") }
  }

  /// The lines below a search that found more than it shows.
  static func more(_ isMore: Bool, _ say: Language) -> [String] {
    guard isMore else { return [] }
    return [
      "", say("There are more. Search for more words, or raise --limit.", "ほかにもあります。言葉を増やすか、--limit を大きくしてください。"),
    ]
  }
}

/// The part of a long list to show.
struct PageOptions: ParsableArguments {
  @OptionGroup var size: LimitOption

  @Option(help: "Continue a list: the cursor that it printed.")
  var cursor = ""

  @Flag(help: "Show all pages.")
  var all = false

  /// Asks for one page, or for all pages from it on as if they were one.
  func ask<Request: PagedRequest>(_ request: Request, _ session: Session) async throws(Failure) -> Request.Reply {
    var request = request
    request.limit = self.size.count
    request.cursor = self.cursor
    return self.all ? try await session.askAll(request) : try await session.ask(request)
  }

  /// The same page with another limit, unless one was given.
  func showing(atMost limit: UInt32?) -> PageOptions {
    var options = self
    options.size.limit = self.size.limit ?? limit
    return options
  }

  /// The lines below a page that is not the last.
  static func more(_ cursor: String, _ say: Language) -> [String] {
    guard !cursor.isEmpty else { return [] }
    return [
      "",
      say(
        "There are more. To see all, add --all; to continue, add --cursor \(cursor)",
        "続きがあります。すべて見るには --all、続きだけ見るには --cursor \(cursor)"),
    ]
  }
}

extension Session {
  /// Asks for all pages of a list, from the cursor of a request on, as if they were one.
  func askAll<Request: PagedRequest>(_ request: Request) async throws(Failure) -> Request.Reply {
    var request = request
    request.limit = LimitOption.most
    var reply = try await self.ask(request)
    while !reply.nextCursor.isEmpty {
      request.cursor = reply.nextCursor
      let page = try await self.ask(request)
      // Messages that are merged have the records of both.
      reply.nextCursor = ""
      reply = try Encoding.pb.decode(
        Request.Reply.self, from: Encoding.pb.encode(reply) + Encoding.pb.encode(page))
    }
    return reply
  }
}
