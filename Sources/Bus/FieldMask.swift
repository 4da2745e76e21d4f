/// The fields that a request changes: those that it names, or those with a value if it names none.
///
/// ```swift
/// let mask = try FieldMask(request.fields, given: ["memo": !record.memo.isEmpty, "recorder": !record.recorder.isEmpty])
/// if mask.contains("memo") { stored.memo = record.memo }
/// ```
public struct FieldMask: Sendable, Hashable {
  private let names: Set<String>

  /// Checks the names.
  ///
  /// - Parameters:
  ///   - named: The names in the request.
  ///   - given: All names, with whether the request has a value for the field.
  /// - Throws: `FIELD_INVALID` for a name that is none of those.
  public init(_ named: [String], given: KeyValuePairs<String, Bool>) throws(Failure) {
    if let unknown = named.first(where: { name in !given.contains { $0.key == name } }) {
      let known = given.map(\.key).joined(separator: ", ")
      throw .invalid(field: "fields", "'\(unknown.prefix(64))' is none of \(known).")
    }
    self.names = Set(named.isEmpty ? given.filter(\.value).map(\.key) : named)
  }

  /// Whether no field is changed.
  public var isEmpty: Bool { self.names.isEmpty }

  /// Whether a field is changed.
  public func contains(_ name: String) -> Bool { self.names.contains(name) }
}
