public import ArgumentParser
public import KithMessages

// Choices of `proto/` as arguments: the help lists them, and a mistake names them.
extension CallExportFormat: ExpressibleByArgument {}
extension CareExportFormat: ExpressibleByArgument {}
extension CatalogKind: ExpressibleByArgument {}
extension ContactExportFormat: ExpressibleByArgument {}
extension GiftStatus: ExpressibleByArgument {
  /// Accepts the English and Japanese names as well as the word of the wire.
  public init?(argument: String) { self.init(meant: argument) }

  /// In the language of the locale.
  public static var allValueStrings: [String] { Self.allCases.map { $0.words(.ofLocale) } }
}
extension SyncState: ExpressibleByArgument {
  /// Accepts the words that lists print, in both languages, as well as the word of the wire.
  public init?(argument: String) { self.init(rawValue: Self.name(typed: argument)) }

  /// In the language of the locale.
  public static var allValueStrings: [String] { Self.allCases.map { $0.words(.ofLocale) } }
}
