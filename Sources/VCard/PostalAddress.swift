/// A postal address (ADR, RFC 6350 6.3.1) with the parts that Apple adds.
public struct PostalAddress: Sendable, Hashable {
  /// Post office box.
  public var postOfficeBox = ""
  /// Apartment or suite.
  public var extended = ""
  /// Street and number, with line feeds between lines.
  public var street = ""
  /// City.
  public var locality = ""
  /// State or province.
  public var region = ""
  /// Postal code.
  public var postalCode = ""
  /// Country by name.
  public var country = ""
  /// District of a city (X-APPLE-SUBLOCALITY).
  public var subLocality: String?
  /// County (X-APPLE-SUBADMINISTRATIVEAREA).
  public var subAdministrativeArea: String?
  /// Country by its ISO 3166 code, as written (CC, X-ABADR).
  public var countryCode: String?
  /// The address as it is printed (LABEL).
  public var formatted: String?
  /// What it is for.
  public var label = Label()
  /// The line of its property, counted from 1 in the whole input; 0 for an address that no card holds.
  public var lineNumber = 0

  /// Makes an empty address.
  public init() {}

  /// Whether no part of ADR has a value and there is no printed form.
  public var isEmpty: Bool { formatted == nil && components.allSatisfy(\.isEmpty) }

  /// The seven components of ADR in their order.
  public var components: [String] {
    [postOfficeBox, extended, street, locality, region, postalCode, country]
  }
}
