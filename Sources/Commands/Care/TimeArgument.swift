internal import ArgumentParser
internal import SwiftProtobuf

/// A time as RFC 3339 writes it.
struct TimeArgument: ExpressibleByArgument, Sendable {
  let time: Google_Protobuf_Timestamp

  init?(argument: String) {
    guard let time = try? Google_Protobuf_Timestamp(jsonString: "\"\(argument)\"") else { return nil }
    self.time = time
  }
}
