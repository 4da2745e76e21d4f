/// The escapes and separators of text values (RFC 6350 3.4), over decoded UTF-8.
enum TextValue {
  /// Resolves escapes: `\n` and `\N` are line feeds, `\,` `\;` `\:` `\"` `\\` stand for the second character, and any
  /// other backslash stands for itself.
  static func unescape(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.has(ASCII.backslash) else { return normalized(bytes) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += 1
      guard byte == ASCII.backslash, index < bytes.endIndex else {
        result.append(byte)
        continue
      }
      switch bytes[index] {
      case UInt8(ascii: "n"), UInt8(ascii: "N"): result.append(ASCII.lineFeed)
      case ASCII.comma, ASCII.semicolon, ASCII.colon, ASCII.quote, ASCII.backslash: result.append(bytes[index])
      case let other: result += [byte, other]
      }
      index += 1
    }
    return normalized(result[...])
  }

  /// The text with CR LF and CR replaced by LF.
  static func normalized(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.has(ASCII.carriageReturn) else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      if byte == ASCII.carriageReturn {
        result.append(ASCII.lineFeed)
      } else if byte != ASCII.lineFeed || previous != ASCII.carriageReturn {
        result.append(byte)
      }
      previous = byte
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The parts between unescaped separators.
  static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var index = start
    while index < bytes.endIndex {
      if bytes[index] == ASCII.backslash {
        index += 1
      } else if bytes[index] == separator {
        pieces.append(bytes[start..<index])
        start = index + 1
      }
      index += 1
    }
    pieces.append(bytes[start...])
    return pieces
  }

  /// Escapes backslash, comma, semicolon and line feed.
  static func escape(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case ",": result += "\\,"
      case ";": result += "\\;"
      case "\n": result += "\\n"
      case "\r": continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
