import Glibc

/// A conversion from a declared character set to UTF-8 by the C library's iconv.
///
/// It is safe to use: the handle never leaves it, and lives exactly as long as the value.
@safe struct CharsetDecoder: ~Copyable {
  private let handle: iconv_t

  /// Opens the conversion; nil if the C library does not know the character set.
  ///
  /// - Parameter name: The value of a CHARSET parameter.
  init?(_ name: String) {
    let name = name.uppercasedASCII
    guard !name.isEmpty, name.utf8.allSatisfy({ $0.isNameByte || $0 == ASCII.dot || $0 == ASCII.colon }),
      !name.utf8.contains(UInt8(ascii: "/"))
    else { return nil }
    // The name is a null-terminated string that lives through the call; failure is (iconv_t)-1, which is compared and never
    // dereferenced.
    guard let handle = unsafe iconv_open("UTF-8", Self.aliases[name] ?? name), Int(bitPattern: handle) != -1
    else { return nil }
    // The handle was checked above and is closed once, in deinit.
    unsafe self.handle = handle
  }

  deinit {
    // The handle is owned by this value alone.
    _ = unsafe iconv_close(handle)
  }

  /// Names that the C library does not know, or knows as a narrower set: Shift_JIS as phones and Windows use it has the
  /// extensions of code page 932, and 0x5C in it is a backslash.
  private static let aliases = [
    "SHIFT_JIS": "CP932", "SHIFT-JIS": "CP932", "SJIS": "CP932", "X-SJIS": "CP932", "WINDOWS-31J": "CP932",
    "KS_C_5601-1987": "CP949", "GB2312": "GB18030", "UTF8": "UTF-8", "LATIN1": "ISO-8859-1",
  ]

  /// True if a CHARSET parameter names UTF-8, which needs no conversion.
  static func isUTF8(_ name: String) -> Bool {
    ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(name.uppercasedASCII)
  }

  /// Converts `bytes` to UTF-8. A byte outside the character set becomes U+FFFD and makes `isClean` false.
  func decode(_ bytes: ArraySlice<UInt8>) -> (text: [UInt8], isClean: Bool) {
    var input = bytes.map { CChar(bitPattern: $0) }
    var output: [UInt8] = []
    var isClean = true
    var chunk = [CChar](repeating: 0, count: max(64, bytes.count * 3))
    // The pointers stay inside the two arrays for the whole closure, and iconv advances them only within the byte counts it
    // is given.
    unsafe input.withUnsafeMutableBufferPointer { source in
      var sourceNext = source.baseAddress
      var sourceLeft = source.count
      while sourceLeft > 0 {
        let before = sourceLeft
        unsafe chunk.withUnsafeMutableBufferPointer { target in
          var targetNext = target.baseAddress
          var targetLeft = target.count
          let status = unsafe iconv(handle, &sourceNext, &sourceLeft, &targetNext, &targetLeft)
          let reason = errno
          for index in 0..<target.count - targetLeft { unsafe output.append(UInt8(bitPattern: target[index])) }
          guard status == Int.max || status == -1 else { return }
          if reason != E2BIG || sourceLeft == before && targetLeft == target.count {
            isClean = false
            output.append(contentsOf: [0xEF, 0xBF, 0xBD])
            unsafe sourceNext = sourceNext.map { unsafe $0 + 1 }
            sourceLeft -= 1
          }
        }
      }
    }
    return (output, isClean)
  }
}
