internal import EventLoop
internal import KithMessages
internal import Transfer

/// A message that a program brings further: its text is the program's standard input.
///
/// `KITH_MESSAGE_ID`, `KITH_TITLE` and `KITH_KIND` are variables of it, which only the own user can read. It ends with 0 when the
/// message is on its way; what sysexits.h has no better hope for than another try is tried again. The beginning of what
/// it writes is the receipt.
struct CommandDelivery {
  let request: DeliverRequest
  let channel: CommandChannel

  /// In bytes. More than what is kept, which is counted in characters: none is cut within those.
  private static let outputLimit = 1000

  func run() async throws(DeliveryFault) -> DeliverReply {
    var environment = ChildProcess.plainEnvironment
    environment["KITH_MESSAGE_ID"] = self.request.id
    environment["KITH_TITLE"] = self.request.notice.subject
    environment["KITH_KIND"] = self.request.notice.kind
    let program = ChildProcess(
      self.channel.program, self.channel.arguments, environment: environment, directory: "/",
      input: Array((self.request.notice.plainTexts.joined(separator: "\n") + "\n").utf8),
      limits: ChildProcess.Limits(time: .seconds(50), memory: nil, output: Self.outputLimit, isOutputCut: true))
    let outcome: ChildProcess.Outcome
    do throws(ChildProcess.Fault) {
      outcome = try await program.run()
    } catch {
      switch error {
      case .cancelled: throw .transfer(.cancelled)
      case .notExecutable:
        throw .unavailable("\(self.channel.program) cannot be run. Check that it is there and executable.")
      case .notStarted: throw .trouble("\(self.channel.program) could not be started", retryAfter: nil)
      case .outOfTime: throw .unclear("\(self.channel.program) did not end in time.")
      case .tooMuchOutput: throw .unclear("\(self.channel.program) wrote more than it may.")
      }
    }
    let words = String(decoding: outcome.errors, as: UTF8.self).oneLine
    switch outcome.ending {
    case .exited(0):
      var reply = DeliverReply()
      reply.receipt = String(decoding: outcome.output, as: UTF8.self).oneLine
      return reply
    // sysexits.h: wrong usage, data, names; no permission, no configuration. Another try would be the same.
    case .exited(let status) where [64, 65, 66, 67, 68, 77, 78, 126, 127].contains(status):
      throw .refused("\(self.channel.program) ended with \(status). \(words)")
    case .exited(let status): throw .trouble("\(self.channel.program) ended with \(status). \(words)", retryAfter: nil)
    case .signalled(let signal): throw .unclear("\(self.channel.program) was ended by signal \(signal).")
    }
  }
}
