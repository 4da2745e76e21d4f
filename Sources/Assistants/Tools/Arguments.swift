internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// The arguments of a call: their names and types are those of the tool's inputs. What values may be, the hub decides.
struct Arguments: Sendable {
  private let values: [String: JSON]

  /// Checks arguments. Null is as if it were absent, because models send it.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` with the name.
  init(_ json: JSON, of tool: Tool) throws(Failure) {
    var values: [String: JSON] = [:]
    for member in json.members ?? [] where member.value != .null {
      guard let input = tool.inputs.first(where: { $0.name == member.name }) else {
        let names = tool.inputs.map(\.name).joined(separator: ", ")
        throw .invalid(
          field: "\(member.name.prefix(64))",
          "is no argument of \(tool.name). It takes \(names.isEmpty ? "none" : names).")
      }
      let type = input.schema["type"]?.text ?? ""
      guard Self.fits(member.value, type) else { throw .invalid(field: input.name, "has to be of the type \(type).") }
      values[member.name] = member.value
    }
    for input in tool.inputs where input.isRequired && values[input.name] == nil {
      throw .invalid(field: input.name, "is missing.")
    }
    self.values = values
  }

  private static func fits(_ value: JSON, _ type: String) -> Bool {
    switch (value, type) {
    case (.text, "string"), (.flag, "boolean"): true
    case (.number(let digits), "integer"): UInt32(digits) != nil
    default: false
    }
  }

  /// Whether an argument was given.
  func has(_ name: String) -> Bool { self.values[name] != nil }

  /// A text; empty if it is absent.
  func text(_ name: String) -> String { self.values[name]?.text ?? "" }

  /// A number; 0 if it is absent.
  func number(_ name: String) -> UInt32 {
    if case .number(let digits)? = self.values[name] { UInt32(digits) ?? 0 } else { 0 }
  }

  /// Whether something was said to be true.
  func flag(_ name: String) -> Bool { self.values[name] == true }

  /// A moment; nil if it is absent.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for what is no time, and for one that the household's clocks skip or show twice.
  func moment(_ name: String, in zone: Zone) throws(Failure) -> Google_Protobuf_Timestamp? {
    guard self.has(name) else { return nil }
    let text = self.text(name)
    if let time = try? Google_Protobuf_Timestamp(jsonString: JSON.text(text).line) { return time }
    let parts = text.split(maxSplits: 1, whereSeparator: { $0 == "T" || $0 == " " })
    guard parts.count == 2, let day = Day(parts[0]), let second = Self.second(parts[1]) else {
      throw .invalid(field: name, "is no time. Give one such as 2026-11-25T08:10 or 2026-11-25T08:10:00+09:00.")
    }
    let moments = zone.instants(of: day, second: second)
    guard let moment = moments.first, moments.count == 1 else {
      throw .invalid(
        field: name,
        moments.isEmpty
          ? "Clocks in \(zone.name) never show that time. Give another one."
          : "Clocks in \(zone.name) show that time twice. Give one of: \(moments.map(zone.stamp).joined(separator: " or "))."
      )
    }
    return Google_Protobuf_Timestamp(nanosecondsSince1970: moment)
  }

  /// The second of a day of `08:10` or `08:10:30`.
  private static func second(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
    let numbers = parts.compactMap { $0.allSatisfy { $0.isASCII && $0.isNumber } ? Int($0) : nil }
    guard numbers.count == parts.count, numbers[0] < 24, numbers[1] < 60, numbers.count < 3 || numbers[2] < 60 else {
      return nil
    }
    return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
  }

  /// A day; empty if it is absent.
  func day(_ name: String, today: Day) -> String {
    switch self.text(name) {
    case "today": "\(today)"
    case "yesterday": "\(today.adding(days: -1))"
    case let text: text
    }
  }

  /// The same text for the same arguments, in whatever order they came.
  var line: String {
    self.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.line)" }.joined(separator: "\n")
  }
}
