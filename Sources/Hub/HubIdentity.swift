internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// What tells one run of the daemon from another.
struct HubIdentity: Sendable {
  /// New at every start.
  let instance = UUIDv7.make().text
  /// When this run began.
  let startedAt = Google_Protobuf_Timestamp.now()
  /// Where events are published.
  let eventsEndpoint: String
}
