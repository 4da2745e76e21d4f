internal import Bus
internal import Certificates
internal import EventLoop
internal import Foundation
internal import KithMessages
internal import Logging
internal import UnixSignals
internal import WebRules

/// Tells the hub every half minute where the door is, and keeps its certificate fresh.
final class Announcer: Sendable {
  private static let interval = 30
  private static let refreshInterval = 10

  private let link: HubLink
  private let store: CertificateStore?
  private let protection: Settings.Protection
  private let logger: Logger
  private let url: Lock<String>
  private let fault = Lock("")

  init(_ link: HubLink, _ store: CertificateStore?, _ protection: Settings.Protection, logger: Logger) {
    self.link = link
    self.store = store
    self.protection = protection
    self.logger = logger
    self.url = Lock("")
  }

  /// Sets the address for people, once it is known.
  func serve(at url: String) { self.url.withLock { $0 = url } }

  /// Announces and refreshes until the task is cancelled.
  func run() async {
    var seconds = 0
    while !Task.isCancelled {
      if seconds % Self.refreshInterval == 0 { self.refresh() }
      // Also soon after the start, when the hub may not have been there yet.
      if seconds % Self.interval == 0 || seconds == 2 { await self.announce() }
      seconds += 1
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Reads the certificate again at each SIGHUP, until the task is cancelled.
  func listen() async {
    for await _ in await UnixSignalsSequence(trapping: .sighup) {
      self.refresh()
      await self.announce()
    }
  }

  private func refresh() {
    guard let store else { return }
    let fault = store.refresh() ?? ""
    let isNew = self.fault.withLock { known in
      defer { known = fault }
      return known != fault
    }
    guard isNew else { return }
    if fault.isEmpty {
      self.logger.notice("the certificate is in order again")
    } else {
      self.logger.error("the certificate was not replaced", metadata: ["why": "\(fault)"])
    }
  }

  private func announce() async {
    var door = Door()
    door.url = self.url.withLock { $0 }
    guard !door.url.isEmpty else { return }
    door.tls = self.protection.word
    door.version = SoftwareVersion.current
    if let store { door.certificateExpires = .init(nanosecondsSince1970: store.current.expires) }
    door.fault = self.fault.withLock { $0 }
    do throws(Failure) {
      _ = try await self.link.call(door, CallContext(timeout: .seconds(5)))
    } catch {
      guard error.code != .unavailable else { return }
      self.logger.warning(
        "the hub does not take the address of this door",
        metadata: ["reason": "\(error.reason)", "why": "\(error.message)"])
    }
  }
}
