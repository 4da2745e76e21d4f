internal import EventLoop
internal import KithMessages
internal import Transfer

/// A message that a program forwards: its text is the program's standard input.
///
/// Its environment has `KITH_MESSAGE_ID`, `KITH_TITLE` and `KITH_KIND`, which only its user can read. Status 0 means that the message
/// was forwarded. A status that is permanent by sysexits.h is a refusal; others are retried. The beginning of its output is the
/// receipt.
struct CommandDelivery {
  let request: DeliverRequest
  let channel: CommandChannel

  /// In bytes. More than is stored, which is counted in characters, so no stored character is cut.
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
    // sysexits.h: wrong usage, data, names; no permission, no configuration. A retry would fail again.
    case .exited(let status) where [64, 65, 66, 67, 68, 77, 78, 126, 127].contains(status):
      throw .refused("\(self.channel.program) ended with \(status). \(words)")
    case .exited(let status): throw .trouble("\(self.channel.program) ended with \(status). \(words)", retryAfter: nil)
    case .signalled(let signal): throw .unclear("\(self.channel.program) was ended by signal \(signal).")
    }
  }
}
