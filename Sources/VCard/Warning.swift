/// A repair made while parsing, or a part that could not be parsed. Contains no text of the card.
///
/// ```swift
/// for warning in card.warnings + card.valueWarnings() { print("line \(warning.line): \(warning.kind)") }
/// ```
public struct Warning: Sendable, Hashable {
  /// The kinds of warnings.
  public enum Kind: String, Sendable, CaseIterable {
    /// BEGIN:VCARD is missing.
    case missingBegin
    /// END:VCARD is missing.
    case missingEnd
    /// VERSION is missing; the card was read as 3.0.
    case missingVersion
    /// VERSION occurs more than once; the first one counts.
    case duplicateVersion
    /// VERSION names a version that is not 2.1, 3.0 or 4.0.
    case unknownVersion
    /// FN is missing or empty; the name comes from another property.
    case missingFormattedName
    /// A line is not a property.
    case unreadableLine
    /// The quotes of a parameter are not closed.
    case unbalancedQuotes
    /// Bytes are not UTF-8 and no character set is declared; they were replaced.
    case undeclaredCharset
    /// The declared character set is unknown, or does not fit the bytes.
    case undecodableCharset
    /// A date has no known form.
    case unreadableDate
    /// REV has no known form.
    case unreadableRevision
    /// A picture does not decode to a known kind of image.
    case undecodablePhoto
    /// A picture is larger than ``Limits/photoBytes``.
    case photoTooLarge
    /// There are more properties than ``Limits/properties``.
    case tooManyProperties
    /// There are more values of one kind than ``Limits/valuesPerKind``.
    case tooManyValues
    /// There are more parameters than ``Limits/parameters``.
    case tooManyParameters
    /// Cards are nested deeper than ``Limits/nesting``.
    case nestedTooDeep
  }

  /// The kind of the warning.
  public var kind: Kind
  /// The line of the repair, counted from 1 in the whole input.
  public var line: Int

  package init(_ kind: Kind, line: Int) {
    self.kind = kind
    self.line = line
  }
}
