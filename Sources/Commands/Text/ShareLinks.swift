/// Links that open a text in a program of the person's own, without any account here.
enum ShareLinks {
  /// A new mail: RFC 6068. Lines end by CR LF there.
  static func mail(subject: String, text: String) -> String {
    let lines = text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
    return "mailto:?subject=\(Self.encoded(subject))&body=\(Self.encoded(lines))"
  }

  /// A new message of LINE on a phone: developers.line.biz, "LINE URL scheme", sharing text.
  static func line(text: String) -> String { "https://line.me/R/share?text=\(Self.encoded(text))" }

  /// Percent-encoded but for what RFC 3986, 2.3 leaves unreserved.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) || "-._~".utf8.contains(byte))
      bytes += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
