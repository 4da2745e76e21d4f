// `@unchecked` is sound: the loop calls `read` for one piece after another, and the caller of the request takes the rest
// after its reply has come, which the loop orders after the last piece.
/// The reader of a reply that is under way, which the loop feeds.
final class MultistatusReading: @unchecked Sendable {
  private var reader: MultistatusReader
  private let each: (@Sendable (DAVResponse) -> Void)?
  private var responses: [DAVResponse] = []
  /// What ended the reading.
  private(set) var fault: XMLFault?

  init(limits: XMLLimits, each: (@Sendable (DAVResponse) -> Void)?) throws(XMLFault) {
    self.reader = try MultistatusReader(limits: limits)
    self.each = each
  }

  /// Takes the next piece of the body.
  func read(_ piece: RawSpan) throws {
    do throws(XMLFault) { self.hand(on: try self.reader.read(piece)) } catch {
      self.fault = error
      self.hand(on: self.reader.rescued())
      throw error
    }
  }

  /// Gives what was not handed on, and what was said of the whole.
  func finish() throws(XMLFault) -> (responses: [DAVResponse], end: MultistatusEnd) {
    let (rest, end) = try self.reader.finish()
    self.hand(on: rest)
    return (self.responses, end)
  }

  private func hand(on responses: [DAVResponse]) {
    if let each = self.each { responses.forEach(each) } else { self.responses += responses }
  }
}
