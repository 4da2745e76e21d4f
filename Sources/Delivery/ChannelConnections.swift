public import Bus
public import EventLoop
internal import KithMessages
public import Secrets
internal import Transfer

/// The connections that carry messages, and the secrets of their logins.
public final class ChannelConnections: Sendable {
  private let secrets: any SecretStore
  private let paths: HubPaths
  private let clients: ClientSet<Clients>

  private struct Clients: Sendable {
    let web: HTTPClient
    let mail: MailClient
  }

  /// Makes an empty set.
  ///
  /// - Parameters:
  ///   - loop: Carries the transfers; has to run until ``close()`` returns.
  ///   - secrets: The store of passwords and tokens. They are read for each message, so a new one counts at once.
  ///   - paths: Which files a channel may send as its secret.
  public init(on loop: LoopExecutor, secrets: any SecretStore, paths: HubPaths) {
    self.secrets = secrets
    self.paths = paths
    self.clients = ClientSet { tls in
      Clients(web: HTTPClient(on: loop, tls: tls), mail: MailClient(on: loop, tls: tls))
    }
  }

  /// Closes the connections and ends their transfers.
  public func close() async {
    for client in self.clients.removeAll() {
      await client.web.close()
      await client.mail.close()
    }
  }

  func web(_ channel: Channel) -> HTTPClient { self.clients(for: channel).web }

  func mail(_ channel: Channel) -> MailClient { self.clients(for: channel).mail }

  /// The secret of a channel; nil if it has none.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE`; `PERMISSION_DENIED/PATH_NOT_ALLOWED` for a file of kithd's own.
  func secret(_ request: DeliverRequest) async throws(Failure) -> String? {
    let file = request.channel.secretFile
    try self.paths.checkUse(of: file, field: "channel.secret_file")
    if !file.isEmpty { return try SecretFile(path: file).read() }
    return request.secretName.isEmpty ? nil : try await self.secrets.secret(named: request.secretName)
  }

  private func clients(for channel: Channel) -> Clients {
    let tls = channel.caFile.isEmpty ? TLSSettings.system : TLSSettings(authorityFile: channel.caFile)
    return self.clients.client(for: tls)
  }
}
