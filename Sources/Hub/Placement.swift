internal import Bus
internal import BusZeroMQ
internal import KithMessages

/// A service whose methods may run in the hub or on a worker.
public enum PlaceableService: String, Sendable, CaseIterable {
  case contacts, monica, transcriber, delivery
  /// `[backup] worker` places it.
  case archive

  /// Those that run in the hub unless they are placed on workers.
  static let ofHub = Self.allCases.filter { $0 != .archive }

  /// Finds a service by name, such as `contacts`, `ContactsSource` or `kith.v1.ContactsSource`. Abbreviations are
  /// refused, because a later service may share them.
  init?(called name: String) {
    let name = name.lowercased()
    let found = Self.allCases.first { service in
      let full = service.name.lowercased()
      return [service.rawValue, full, String(full.dropFirst("kith.v1.".count))].contains(name)
    }
    guard let found else { return nil }
    self = found
  }

  /// The name on the wire.
  var name: String {
    switch self {
    case .contacts: "kith.v1.ContactsSource"
    case .monica: "kith.v1.MonicaRemote"
    case .transcriber: "kith.v1.Transcriber"
    case .delivery: "kith.v1.Delivery"
    case .archive: "kith.v1.Archive"
    }
  }
}

/// Where the placeable services run: the section `[placement]` of the configuration.
struct Placement: Sendable, Hashable {
  /// The services that run on workers.
  var onWorkers: Set<PlaceableService> = []

  /// The port of a service: in this process, or through the work plane.
  func port(to service: PlaceableService, here: LocalBatchPort, _ plane: WorkPlane) -> any Port & BatchPort {
    self.onWorkers.contains(service) ? WorkerPort(plane) : here
  }

  /// The codecs of the methods that the work plane leases.
  static let codecs: [JobCodec] = [
    JobCodec(ProbeSourceRequest.self), JobCodec(FindBooksRequest.self), JobCodec(inBatches: ListItemsRequest.self),
    JobCodec(inBatches: FetchItemsRequest.self), JobCodec(VerifyAccountRequest.self),
    JobCodec(inBatches: PullRequest.self), JobCodec(ReadRecordRequest.self), JobCodec(ReadCatalogRequest.self),
    JobCodec(ReadPhotoRequest.self), JobCodec(PushRequest.self),
    JobCodec(TranscribeRequest.self, isAskedAgain: true), JobCodec(EnginesRequest.self), JobCodec(DeliverRequest.self),
    JobCodec(PutArchiveRequest.self),
  ]
}
