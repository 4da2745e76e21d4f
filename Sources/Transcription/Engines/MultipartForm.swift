/// A form with one file, as a body. RFC 7578.
struct MultipartForm {
  /// For the header `Content-Type`.
  let contentType: String
  /// The body.
  let bytes: [UInt8]

  /// Makes a form.
  ///
  /// - Parameters:
  ///   - fields: Names and values, in their order. No name has a quotation mark or a line end.
  ///   - file: Its field's name, its own name, its media type and its content.
  init(fields: [(String, String)], file: (name: String, filename: String, type: String, content: [UInt8])) {
    // 128 bits at random: no recording has it by chance, and nobody can foresee it.
    let boundary = "kith-\(UInt64.random(in: 0...UInt64.max))-\(UInt64.random(in: 0...UInt64.max))"
    var bytes: [UInt8] = []
    for (name, value) in fields {
      bytes += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    let disposition = "form-data; name=\"\(file.name)\"; filename=\"\(file.filename)\""
    bytes += Array(
      "--\(boundary)\r\nContent-Disposition: \(disposition)\r\nContent-Type: \(file.type)\r\n\r\n".utf8)
    bytes += file.content
    bytes += Array("\r\n--\(boundary)--\r\n".utf8)
    self.contentType = "multipart/form-data; boundary=\(boundary)"
    self.bytes = bytes
  }
}
