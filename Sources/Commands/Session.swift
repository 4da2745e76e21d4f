internal import Bus
internal import KithClient
internal import KithMessages
internal import SwiftProtobuf

/// One run of a command: the way to the daemon, and where and how to print.
struct Session: Sendable {
  let client: KithClient
  let console: Console
  let isJSON: Bool
  /// The time that relative times are relative to.
  var now = Google_Protobuf_Timestamp.now()

  /// Asks, and draws progress where somebody looks.
  func ask<C: Command>(_ command: C, drawing label: String? = nil) async throws(Failure) -> C.Reply {
    guard let label, !self.isJSON, self.console.isTerminal else { return try await self.client.ask(command) }
    let console = self.console
    let bar = ProgressBar(label: label, style: console.style)
    defer { console.redraw("") }
    return try await self.client.ask(
      command, CallContext(progress: { console.redraw(bar.line(fraction: Double($0.fraction), note: $0.stage)) }))
  }

  /// Prints a reply: as JSON, or as the lines that people read.
  func show(_ reply: some SwiftProtobuf.Message, _ lines: @autoclosure () -> [String]) throws(Failure) {
    guard !self.isJSON else { return self.console.print(try Self.json(reply)) }
    for line in lines() { self.console.print(line) }
  }

  /// A message on one line.
  static func json(_ message: some SwiftProtobuf.Message) throws(Failure) -> String {
    String(decoding: try Encoding.json.encode(message), as: UTF8.self)
  }
}
