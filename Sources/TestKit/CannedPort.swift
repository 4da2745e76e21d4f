public import Bus
public import KithMessages
public import SwiftProtobuf

/// A port that returns the answers of a test.
public struct CannedPort: Port {
  private let answer: @Sendable (any Command, CallContext) async throws(Failure) -> any Message & Sendable
  private let attachments: @Sendable (any Command) -> [[UInt8]]

  /// Makes a port.
  ///
  /// - Parameters:
  ///   - attachments: Returns the attachments of the reply to a command.
  ///   - answer: Receives each command and returns a reply of the command's type.
  public init(
    attachments: @escaping @Sendable (any Command) -> [[UInt8]] = { _ in [] },
    _ answer: @escaping @Sendable (any Command, CallContext) async throws(Failure) -> any Message & Sendable
  ) {
    self.attachments = attachments
    self.answer = answer
  }

  /// Calls the test's closure and checks the type of its reply.
  public func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    guard let reply = try await self.answer(command, context) as? C.Reply else {
      throw Failure(.unimplemented, "SERVICE_UNKNOWN", "The test has no answer to \(C.method.name).")
    }
    return Answer(reply, attachments: self.attachments(command))
  }
}
