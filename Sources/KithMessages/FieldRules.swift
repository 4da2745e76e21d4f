/// A field of a message with the rules that `proto/` states for it.
///
/// ```swift
/// let comment = Fields.gift.first { $0.name == "comment" }
/// comment?.max       // 65,535 characters
/// comment?.merge     // .text: what is appended on either side is kept
/// ```
public struct FieldRules: Sendable, Hashable {
  /// What a field holds.
  public enum Kind: Sendable, Hashable {
    /// A string.
    case text
    /// A whole or a decimal number.
    case number
    /// True or false.
    case flag
    /// A `google.protobuf.Timestamp`.
    case moment
    /// Another message.
    case message
    /// A value of an enum of `proto/`.
    case choice
    /// Bytes.
    case bytes
  }

  /// Where a field of a record is kept.
  public enum Place: Sendable, Hashable {
    /// On the hub and on the server.
    case both
    /// On the hub alone; never sent.
    case hub
    /// The server alone sets it.
    case server
    /// Not in the stored record: filled in for an answer.
    case derived
  }

  /// What becomes of a field that was changed here and on the server.
  public enum Merge: Sendable, Hashable {
    /// A conflict, which a person settles.
    case value
    /// What one side appended is appended to what the other has.
    case text
    /// What either side added is there, what either side removed is not.
    case set
    /// Messages: each is merged by itself.
    case each
  }

  /// What a text is made of.
  public enum Format: Sendable, Hashable {
    /// Anything but U+0000.
    case any
    /// One line, without control characters.
    case line
    /// Letters, digits, "-" and "_".
    case word
    /// 1 to 32 of a-z, 0-9 and "-", not beginning with "-".
    case name
    /// YYYY-MM-DD.
    case day
    /// YYYY-MM-DD, --MM-DD or ~YYYY.
    case partialDay
    /// HH:MM.
    case time
    /// A decimal with at most two digits behind the point.
    case amount
    /// An ISO 3166 code of two letters.
    case country
    /// Decimal degrees from -90 to 90.
    case latitude
    /// Decimal degrees from -180 to 180.
    case longitude
  }

  /// As in `proto/`: "first_name".
  public let name: String
  /// On the wire.
  public let number: Int
  /// In JSON: "firstName".
  public let jsonName: String
  /// What it holds.
  public let kind: Kind
  /// Whether it holds several of them.
  public let isRepeated: Bool
  /// Code points of a text, or the largest number; 0 = not limited.
  public let max: Int
  /// The least number.
  public let min: Int
  /// Bytes of a text; 0 = not limited.
  public let maxBytes: Int
  /// How many a repeated field has; 0 = not limited.
  public let maxItems: Int
  /// Whether it has to be given.
  public let isRequired: Bool
  /// Whether it is never taken from a client.
  public let isReadOnly: Bool
  /// Whether it is taken when a record is made and stays the same.
  public let isFixed: Bool
  /// Whether it has happened.
  public let isPast: Bool
  /// Where it is kept.
  public let place: Place
  /// What becomes of changes on both sides.
  public let merge: Merge
  /// Whether search finds it.
  public let isSearched: Bool
  /// As in `CatalogEntry.catalog`; empty = it is no name of the server's.
  public let catalog: String
  /// The words that it may be; none = any text.
  public let choices: [String]
  /// Whether a request may have other words than ``choices``.
  public let isLoose: Bool
  /// What a text is made of.
  public let format: Format

  /// Whether a request may change it in a record that exists.
  public var isEditable: Bool { !self.isReadOnly && !self.isFixed && self.place != .derived }

  init(
    _ name: String, _ number: Int, json jsonName: String, _ kind: Kind, isRepeated: Bool = false, max: Int = 0,
    min: Int = 0, maxBytes: Int = 0, maxItems: Int = 0, isRequired: Bool = false, isReadOnly: Bool = false,
    isFixed: Bool = false, isPast: Bool = false, place: Place = .both, merge: Merge = .value, isSearched: Bool = false,
    catalog: String = "", choices: [String] = [], isLoose: Bool = false, format: Format = .any
  ) {
    self.name = name
    self.number = number
    self.jsonName = jsonName
    self.kind = kind
    self.isRepeated = isRepeated
    self.max = max
    self.min = min
    self.maxBytes = maxBytes
    self.maxItems = maxItems
    self.isRequired = isRequired
    self.isReadOnly = isReadOnly
    self.isFixed = isFixed
    self.isPast = isPast
    self.place = place
    self.merge = merge
    self.isSearched = isSearched
    self.catalog = catalog
    self.choices = choices
    self.isLoose = isLoose
    self.format = format
  }
}

/// A kind of records with the rules that `proto/` states for it.
public struct RecordRules: Sendable, Hashable {
  /// Whom a record is about.
  public enum Owner: Sendable, Hashable {
    /// Nobody in particular.
    case nobody
    /// A person, always.
    case person
    /// A person, or nobody.
    case personOrNobody
  }

  /// The name on the wire: "contact_field".
  public let kind: String
  /// The name of its message: "ContactField".
  public let message: String
  /// Whom a record is about.
  public let owner: Owner
  /// The stream of events that its changes are told on.
  public let stream: String
  /// Whether lists go by name; those of other kinds go by time.
  public let isByName: Bool
  /// Whether the server keeps it when the person that it belongs to is deleted.
  public let outlivesPerson: Bool
  /// In the order of `proto/`.
  public let fields: [FieldRules]
}
