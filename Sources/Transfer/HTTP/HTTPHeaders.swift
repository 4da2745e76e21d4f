/// Header fields in their order. Names are compared without regard to case. RFC 9110 section 5.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
  /// One line.
  public struct Field: Hashable, Sendable {
    /// As it was written.
    public let name: String
    /// Without space at its ends.
    public let value: String
  }

  /// All fields, repeated ones too.
  public private(set) var fields: [Field]

  /// Makes fields from a literal; a name may be repeated.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0, value: $1) }
  }

  /// The last value of a field. Setting replaces all values; nil removes them.
  public subscript(name: String) -> String? {
    get { fields.last { $0.name.isSameField(as: name) }?.value }
    set {
      fields.removeAll { $0.name.isSameField(as: name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// All values of a field.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.isSameField(as: name) }.map(\.value)
  }

  /// Appends a field.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Appends a continuation line to the last field. RFC 9112 section 5.2.
  mutating func extendLast(_ value: String) {
    guard let last = fields.popLast() else { return }
    fields.append(Field(name: last.name, value: "\(last.value) \(value)"))
  }

  /// The names alone: values may be secrets.
  public var description: String { fields.map(\.name).joined(separator: ", ") }

  /// Why a field cannot be sent; nil if all can. RFC 9110 sections 5.1 and 5.5.
  var fault: String? {
    for field in fields {
      if ["Content-Length", "Transfer-Encoding"].contains(where: field.name.isSameField) {
        return "\(field.name) follows from its body and cannot be set"
      }
      if !field.name.isToken { return "'\(field.name)' is not a name of a header" }
      if field.value.utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) {
        return "the value of the header \(field.name) has control characters"
      }
    }
    return nil
  }
}

extension String {
  /// A name or a method as RFC 9110 section 5.6.2 allows it.
  var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// Whether two names differ in case at most.
  fileprivate func isSameField(as other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowerCased == $1.lowerCased }
  }
}

extension UInt8 {
  fileprivate var lowerCased: UInt8 { (65...90).contains(self) ? self | 32 : self }
}
