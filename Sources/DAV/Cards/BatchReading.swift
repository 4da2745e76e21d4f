internal import Transfer

/// Reads the answer to a batch: its responses as they come, and what became of the whole.
struct BatchReading: ~Copyable {
  private let place: String
  private var reader: MultistatusReader?
  private var fault: XMLFault?
  /// The size of what was read.
  private(set) var bytes = 0
  /// Nil where the batch was not sent. `cancelled` where its answer was not brought to its end.
  private(set) var outcome: Result<DAVReply, DAVError>? = .failure(.transfer(.cancelled))

  init(place: String, limits: XMLLimits) {
    self.place = place
    do throws(XMLFault) {
      self.reader = try MultistatusReader(limits: limits)
    } catch {
      self.fault = error
      self.outcome = .failure(.xml(error, place: place))
    }
  }

  /// Whether it cannot be read on.
  var hasFault: Bool { self.fault != nil }

  /// Takes what comes next, and gives the responses that are complete now. After a fault nothing counts any more.
  mutating func read(_ element: BatchAnswer.Element) -> [DAVResponse] {
    guard !self.hasFault else { return [] }
    switch element {
    case .unsent:
      self.outcome = nil
      return []
    case .piece(let piece):
      self.bytes += piece.count
      do throws(XMLFault) {
        // The span lives for the call.
        return unsafe try self.reader?.read(piece.span.bytes) ?? []
      } catch { return self.fail(error) }
    case .end(let outcome):
      self.outcome = outcome
      guard case .success(var reply) = outcome, reply.status == 207 else { return [] }
      do throws(XMLFault) {
        guard let (rest, end) = try self.reader?.finish() else { return [] }
        reply.end = end
        self.outcome = .success(reply)
        return rest
      } catch { return self.fail(error) }
    }
  }

  private mutating func fail(_ fault: XMLFault) -> [DAVResponse] {
    self.fault = fault
    self.outcome = .failure(.xml(fault, place: self.place))
    return self.reader?.rescued() ?? []
  }
}
