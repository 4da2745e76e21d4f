/// The reader of a reply that is under way, which the loop feeds.
///
/// `@unchecked` is sound: the loop calls `read` for one piece after another, and the caller of the request takes the rest
/// after its reply has come, which the loop orders after the last piece.
final class MultistatusReading: @unchecked Sendable {
  private var reader: MultistatusReader
  private var responses: [DAVResponse] = []
  /// What ended the reading.
  private(set) var fault: XMLFault?

  init(limits: XMLLimits) throws(XMLFault) { self.reader = try MultistatusReader(limits: limits) }

  /// Takes the next piece of the body.
  func read(_ piece: RawSpan) throws {
    do throws(XMLFault) { self.responses += try self.reader.read(piece) } catch {
      self.fault = error
      throw error
    }
  }

  /// Gives what was read, and what was said of the whole.
  func finish() throws(XMLFault) -> (responses: [DAVResponse], end: MultistatusEnd) {
    let (rest, end) = try self.reader.finish()
    return (self.responses + rest, end)
  }
}
