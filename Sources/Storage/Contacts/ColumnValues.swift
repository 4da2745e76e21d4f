internal import Digest
internal import KithMessages
internal import SwiftProtobuf

/// How values without an SQLite type are written into columns.
enum ColumnValues {
  /// Text without U+0000, which would end SQLite's C strings.
  static func text(_ text: String) -> String {
    let bytes = text.utf8Span.span
    for index in bytes.indices where bytes[index] == 0 { return String(text.unicodeScalars.filter { $0.value != 0 }) }
    return text
  }

  /// Nanoseconds since 1970; nil if the stamp is outside the years 1678-2261.
  static func nanoseconds(_ stamp: Google_Protobuf_Timestamp) -> Int64? {
    let (whole, overflowed) = stamp.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carried) = whole.addingReportingOverflow(Int64(stamp.nanos))
    return overflowed || carried ? nil : sum
  }

  /// Several words for one column, each followed by a comma.
  static func list(_ words: [String]) -> String {
    guard !words.isEmpty else { return "" }
    var list: [UInt8] = []
    for word in words {
      for byte in self.text(word).utf8 {
        if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\\") { list.append(UInt8(ascii: "\\")) }
        list.append(byte)
      }
      list.append(UInt8(ascii: ","))
    }
    return String(decoding: list, as: UTF8.self)
  }

  /// The words of a column written by ``list(_:)``.
  static func words(_ list: String) -> [String] {
    guard !list.isEmpty else { return [] }
    var words: [String] = []
    var word: [UInt8] = []
    var isEscaped = false
    let bytes = list.utf8Span.span
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else if byte == UInt8(ascii: ","), !isEscaped {
        words.append(String(decoding: word, as: UTF8.self))
        word.removeAll(keepingCapacity: true)
      } else {
        word.append(byte)
        isEscaped = false
      }
    }
    return words
  }

  /// Numbers as a JSON array for `json_each`, so that one statement serves any count.
  static func array(_ numbers: [Int64]) -> String { "[\(numbers.map(String.init).joined(separator: ","))]" }

  /// Texts as a JSON array.
  static func array(_ texts: [String]) -> String {
    var array: [UInt8] = []
    for text in texts {
      array.append(UInt8(ascii: array.isEmpty ? "[" : ","))
      array.append(UInt8(ascii: "\""))
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          array.append(UInt8(ascii: "\\"))
          array.append(byte)
        case 0..<0x20:
          array.append(contentsOf: "\\u00".utf8)
          array.append(contentsOf: Hex.encode([byte]).utf8)
        default:
          array.append(byte)
        }
      }
      array.append(UInt8(ascii: "\""))
    }
    if array.isEmpty { array.append(UInt8(ascii: "[")) }
    array.append(UInt8(ascii: "]"))
    return String(decoding: array, as: UTF8.self)
  }
}

extension Collection where Element: RawRepresentable<String> {
  /// Of states: "IN ('queued', 'leased')". SQLite uses a partial index only if the query has its words in the same order.
  var inSQL: String { "IN (\(self.map { "'\($0.rawValue)'" }.joined(separator: ", ")))" }
}

extension EngineValue {
  /// Text without U+0000.
  static func text(of text: String) -> EngineValue { .text(ColumnValues.text(text)) }

  /// A stamp in nanoseconds; NULL if it is not set.
  static func stamp(_ isSet: Bool, _ stamp: Google_Protobuf_Timestamp) -> EngineValue {
    guard isSet, let nanoseconds = ColumnValues.nanoseconds(stamp) else { return .null }
    return .integer(nanoseconds)
  }
}
