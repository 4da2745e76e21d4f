import DAV

/// The result of reading a document.
struct Reading: Equatable {
  var responses: [DAVResponse] = []
  var end = MultistatusEnd()

  /// Reads a document that arrives in pieces.
  init(_ pieces: some Sequence<[UInt8]>, limits: XMLLimits = XMLLimits()) throws(XMLFault) {
    var reader = try MultistatusReader(limits: limits)
    for piece in pieces { self.responses += try Self.feed(&reader, piece) }
    let (responses, end) = try reader.finish()
    self.responses += responses
    self.end = end
  }

  init(_ text: String, limits: XMLLimits = XMLLimits()) throws(XMLFault) {
    try self.init([Array(text.utf8)], limits: limits)
  }

  static func feed(_ reader: inout MultistatusReader, _ piece: [UInt8]) throws(XMLFault) -> [DAVResponse] {
    try reader.read(piece.span.bytes)
  }
}

/// A path in a test.
func path(_ text: String) -> Href {
  guard let href = Href(text) else { preconditionFailure("'\(text)' is no path") }
  return href
}
