public import Transfer

/// An address book that discovery found.
public struct FoundBook: Sendable, Hashable {
  /// Where it is.
  public let url: WebURL
  /// Its name, or the last part of its path where it has none.
  public let name: String
  /// Whether it has a name of its own.
  public let hasName: Bool
  /// What its owner wrote of it.
  public let description: String
  /// Whether cards cannot be written there.
  public let isReadOnly: Bool
  /// The reports it answers, such as `sync-collection`.
  public let reports: Set<String>
  /// The versions of vCard it gives, where it says.
  public let cardVersions: Set<String>
  /// Its sync token, where it was asked for: in a look at a home that is known.
  public let syncToken: String?

  init(url: WebURL, properties: DAVProperties) {
    self.url = url
    let last = url.path.split(separator: "/").last.map(String.init) ?? url.origin.host
    self.hasName = properties.displayName?.isEmpty == false
    self.name = properties.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? last
    self.description = properties.description ?? ""
    self.isReadOnly = properties.isReadOnly
    self.reports = properties.reports ?? []
    self.cardVersions = properties.cardVersions ?? []
    self.syncToken = properties.syncToken
  }
}
