public import Bus
public import KithMessages
internal import SwiftProtobuf

extension CheckedMessage {
  /// Copies the fields that a request names; if it names none, those that are not empty.
  ///
  /// - Parameters:
  ///   - names: Names in `proto/`.
  ///   - other: The record of the request.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a name that is not a field that clients may change.
  public mutating func take(_ names: [String], of other: Self) throws(Failure) {
    for field in try Self.fields(named: names, of: other) { field.copy(other, &self) }
  }

  /// The fields that a request changes: the named ones, or without names those that are not empty.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a name that is not a field that clients may change.
  public static func fields(named names: [String], of other: Self) throws(Failure) -> [MessageField<Self>] {
    let editable = Self.fields.filter(\.rules.isEditable)
    if let unknown = names.first(where: { name in !editable.contains { $0.name == name } }) {
      throw .invalid(
        field: "fields",
        "'\(unknown.prefix(64))' is no field that can be changed. These are: \(editable.map(\.name).joined(separator: ", "))."
      )
    }
    let empty = Self()
    return editable.filter { names.isEmpty ? !$0.isEqual(other, empty) : names.contains($0.name) }
  }
}
