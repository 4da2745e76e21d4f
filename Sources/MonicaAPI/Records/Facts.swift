internal import SwiftProtobuf

/// The values of a record that can be compared, by field names as in `proto/`, with a dot before nested names. Empty
/// values are left out.
struct Facts: Equatable, Sendable {
  private(set) var values: [String: String] = [:]

  /// A text.
  mutating func set(_ name: String, _ text: String) {
    let text = ServerText.clean(text)
    self.values[name] = text.isEmpty ? nil : text
  }

  mutating func set(_ name: String, _ flag: Bool) { self.values[name] = flag ? "yes" : nil }

  mutating func set(_ name: String, _ number: some BinaryInteger) {
    self.values[name] = number == 0 ? nil : String(number)
  }

  /// A decimal number, which may be written in several ways.
  mutating func set(_ name: String, decimal text: String) {
    guard let number = Double(text.trimmingPrefix(" ")) else { return self.set(name, text) }
    self.values[name] = number == 0 ? nil : number.description
  }

  /// A time, to the second.
  mutating func set(_ name: String, _ stamp: Google_Protobuf_Timestamp?) {
    self.values[name] = stamp.map { String($0.seconds) }
  }

  /// Values without an order.
  mutating func set(_ name: String, anyOrder texts: [String]) {
    for text in texts where !text.isEmpty { self.values["\(name).\(text)"] = "yes" }
  }

  // MARK: - Comparing

  /// Whether both have the same values.
  ///
  /// - Parameter unsaid: Fields that one of them has no values for.
  func agree(with other: Facts, except unsaid: [String]) -> Bool {
    self.differences(from: other, except: unsaid).isEmpty
  }

  /// Whether no one else has changed the record: each fact has its base value or its wanted value, as after an attempt
  /// that was interrupted between two steps.
  func isUntouched(since base: Facts, onTheWayTo want: Facts, except unsaid: [String]) -> Bool {
    self.differences(from: base, except: unsaid).isDisjoint(with: self.differences(from: want, except: unsaid))
  }

  /// Whether the record has the wanted values. Fields that the server does not return count as unchanged.
  func isDone(_ want: Facts, base: Facts?, except unsaid: [String]) -> Bool {
    guard self.agree(with: want, except: unsaid) else { return false }
    guard let base else { return true }
    return base.differences(from: want, except: []).allSatisfy { !Self.isPart($0, of: unsaid) }
  }

  /// Whether all of its values are wanted ones, as in a record that an interrupted attempt has made in part.
  func isPart(of want: Facts, except unsaid: [String]) -> Bool {
    self.differences(from: want, except: unsaid).allSatisfy { self.values[$0] == nil }
  }

  private func differences(from other: Facts, except unsaid: [String]) -> Set<String> {
    Set(self.values.keys).union(other.values.keys).filter {
      self.values[$0] != other.values[$0] && !Self.isPart($0, of: unsaid)
    }
  }

  private static func isPart(_ name: String, of fields: [String]) -> Bool {
    fields.contains { name == $0 || name.hasPrefix("\($0).") }
  }
}
