/// A field of a message with the rules that `proto/` states for it.
///
/// ```swift
/// let comment = RecordKind.gift.fields.first { $0.name == "comment" }
/// comment?.max       // 65,535 characters
/// comment?.merge     // .text: what is appended on either side is kept
/// ```
public struct FieldRules: Sendable, Hashable {
  /// The type of a field's values.
  public enum Kind: Sendable, Hashable {
    /// A string.
    case text
    /// An integer or a decimal number.
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

  /// Where a field of a record is stored.
  public enum Place: Sendable, Hashable {
    /// On the hub and on the server.
    case both
    /// On the hub only; never sent.
    case hub
    /// Set by the server only.
    case server
    /// Not stored: computed for a reply.
    case derived
  }

  /// How a field that changed on the hub and on the server is merged.
  public enum Merge: Sendable, Hashable {
    /// As a conflict, which a person settles.
    case value
    /// Text that either side appended is kept.
    case text
    /// Elements that either side added are kept, elements that either side removed are not.
    case set
    /// Each message is merged by itself.
    case each
  }

  /// The format of a text.
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
    /// A decimal number with at most two digits after the point.
    case amount
    /// A two-letter ISO 3166 code.
    case country
    /// Decimal degrees from -90 to 90.
    case latitude
    /// Decimal degrees from -180 to 180.
    case longitude
  }

  /// The name in `proto/`: "first_name".
  public let name: String
  /// The number on the wire.
  public let number: Int
  /// The name in JSON: "firstName".
  public let jsonName: String
  /// The type of its values.
  public let kind: Kind
  /// Whether it is a list.
  public let isRepeated: Bool
  /// The most code points of a text, or the largest number; 0 = no limit.
  public let max: Int
  /// The smallest number.
  public let min: Int
  /// The most bytes of a text; 0 = no limit.
  public let maxBytes: Int
  /// The most elements of a list; 0 = no limit.
  public let maxItems: Int
  /// Whether it is required.
  public let isRequired: Bool
  /// Whether it is never accepted from a client.
  public let isReadOnly: Bool
  /// Whether it is set when a record is created and cannot change.
  public let isFixed: Bool
  /// Whether it must not be in the future.
  public let isPast: Bool
  /// Where it is stored.
  public let place: Place
  /// How changes on both sides are merged.
  public let merge: Merge
  /// Whether search covers it.
  public let isSearched: Bool
  /// The catalog of its values, as in `CatalogEntry.catalog`; empty if it is no name on the server.
  public let catalog: String
  /// The allowed values; empty = any text.
  public let choices: [String]
  /// Whether a request may have values other than ``choices``.
  public let isLoose: Bool
  /// The format of its text.
  public let format: Format
  /// The fields on which a field that the server sets depends: it is cleared when one of them changes.
  public let follows: [String]

  /// Whether a request may change it in an existing record.
  public var isEditable: Bool { !self.isReadOnly && !self.isFixed && self.place != .derived }

  init(
    _ name: String, _ number: Int, json jsonName: String, _ kind: Kind, isRepeated: Bool = false, max: Int = 0,
    min: Int = 0, maxBytes: Int = 0, maxItems: Int = 0, isRequired: Bool = false, isReadOnly: Bool = false,
    isFixed: Bool = false, isPast: Bool = false, place: Place = .both, merge: Merge = .value, isSearched: Bool = false,
    catalog: String = "", choices: [String] = [], isLoose: Bool = false, format: Format = .any,
    follows: [String] = []
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
    self.follows = follows
  }
}

/// A kind of record with the rules that `proto/` states for it.
///
/// ```swift
/// for kind in RecordKind.allCases where kind.rules.owner == .person { print(kind.name, kind.rules.stream) }
/// ```
public struct RecordRules: Sendable, Hashable {
  /// Whom a record is about.
  public enum Owner: Sendable, Hashable {
    /// No person.
    case nobody
    /// Always a person.
    case person
    /// A person or nobody.
    case personOrNobody
  }

  /// The name on the wire: "contact_field".
  public let kind: String
  /// Whom a record is about.
  public let owner: Owner
  /// The stream of its events.
  public let stream: String
  /// Whether lists are ordered by name; otherwise by time.
  public let isByName: Bool
  /// Whether the server keeps it when its person is deleted.
  public let outlivesPerson: Bool
}
