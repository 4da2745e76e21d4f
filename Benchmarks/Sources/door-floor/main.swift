// The least that a door of Hummingbird can be: it passes a Ping on to the hub over one connection, as a device, and answers with what
// the hub says. It checks, limits, counts and adds nothing. What kith-web takes beyond it is its own.
//
//   door-floor RUNTIME-DIRECTORY PORT

import Bus
import Foundation
import Hummingbird
import HummingbirdCore
import KithClient
import KithMessages
import Logging
import NIOCore

struct Floor: HTTPResponder {
  typealias Context = BasicRequestContext

  let client: KithClient

  @concurrent func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    let body = try await request.body.collect(upTo: 1 << 16)
    var command = ForwardedCommand(method: Methods.systemPing, encoding: .json, body: Array(body.readableBytesView))
    command.token = String((request.headers[.authorization] ?? "").dropFirst("Bearer ".count))
    let answer = try await self.client.forward(command)
    return Response(
      status: answer.status.code == .ok ? .ok : .internalServerError, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
  }
}

/// Answers the requests of a connection on its event loop, as kith-web does.
struct OnItsLoop: ServerChildChannel {
  let base: HTTP1Channel

  func setup(channel: any NIOCore.Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    self.base.setup(channel: channel, logger: logger)
  }

  @concurrent func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await withTaskExecutorPreference(LoopTasks(loop: value.channel.eventLoop)) {
      await self.base.handle(value: value, logger: logger)
    }
  }
}

final class LoopTasks: TaskExecutor {
  private let loop: any EventLoop

  init(loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The job is run exactly once, here, on its executor.
    self.loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

guard CommandLine.arguments.count == 3, let port = Int(CommandLine.arguments[2]) else {
  print("usage: door-floor RUNTIME-DIRECTORY PORT")
  exit(2)
}
let client = try await KithClient.connect(runtimeDirectory: CommandLine.arguments[1])
let application = Application(
  responder: Floor(client: client), server: HTTPServerBuilder { OnItsLoop(base: HTTP1Channel(responder: $0)) },
  configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
  logger: Logger(label: "door-floor", factory: { _ in SwiftLogNoOpLogHandler() }))
try await application.runService()
await client.close()
