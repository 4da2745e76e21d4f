internal import Foundation
internal import Transfer

/// A client of Monica 4's REST API (4.0 to 4.1) for one account.
///
/// libcurl may send reads twice; requests that create something are never sent twice. Redirects are not followed, so
/// that the token reaches only its own server.
struct MonicaClient: Sendable {
  let http: HTTPClient
  let address: MonicaAddress
  let credentials: Credentials
  let gate: RateGate
  var pace: Pace
  /// Called at each second of a wait for the rate limit with what is left of it.
  var reportWait: @Sendable (Duration) -> Void = { _ in }

  /// How often a request is sent if the rate limit refuses it.
  private static let attempts = 4
  /// The largest answer in bytes: a hundred contacts have about 150 kB, a picture in base64 may have several MiB.
  private static let answerBytes = 64 << 20

  /// The path and query of a request.
  struct Target: Sendable {
    var path: String
    var arguments: [(name: String, value: String)] = []

    init(_ path: String, _ arguments: [(name: String, value: String)] = []) {
      self.path = path
      self.arguments = arguments
    }
  }

  // MARK: - Reading

  /// Reads a value.
  func get<Value: Decodable>(_ type: Value.Type, _ target: Target) async throws(MonicaError) -> Value {
    try await self.send(type, "GET", target, body: nil)
  }

  /// Reads one record; nil if the server does not have it.
  func find<Value: Decodable>(_ type: Value.Type, _ target: Target) async throws(MonicaError) -> Value? {
    do throws(MonicaError) {
      return try await self.get(Envelope<Value>.self, target).data
    } catch {
      guard error.fault == .missing else { throw error }
      return nil
    }
  }

  // MARK: - Changing

  /// Creates a record.
  func post<Value: Decodable>(
    _ type: Value.Type, _ path: String, _ body: JSONValue
  ) async throws(MonicaError) -> Value {
    try await self.change(Envelope<Value>.self, "POST", path, body).data
  }

  /// Replaces a record.
  func put<Value: Decodable>(
    _ type: Value.Type, _ path: String, _ body: JSONValue
  ) async throws(MonicaError) -> Value {
    try await self.change(Envelope<Value>.self, "PUT", path, body).data
  }

  /// Deletes a record.
  func delete(_ path: String) async throws(MonicaError) {
    _ = try await self.change(Deletion.self, "DELETE", path, nil)
  }

  private func change<Value: Decodable>(
    _ type: Value.Type, _ method: String, _ path: String, _ body: JSONValue?
  ) async throws(MonicaError) -> Value {
    do throws(MonicaError) {
      return try await self.send(type, method, Target(path), body: body)
    } catch {
      throw MonicaError(error.fault, mayHaveArrived: error.fault.leavesOutcomeOpen)
    }
  }

  // MARK: - Requests

  private func send<Value: Decodable>(
    _ type: Value.Type, _ method: String, _ target: Target, body: JSONValue?
  ) async throws(MonicaError) -> Value {
    let request = try self.request(method, target, body: body)
    var attempt = 1
    while true {
      try await self.gate.enter(self.pace, self.reportWait)
      let response: HTTPResponse
      do throws(TransferError) {
        response = try await self.http.send(request)
      } catch {
        await self.gate.leave(nil)
        throw MonicaError(.transfer(error))
      }
      await self.gate.leave(response)
      // A rate-limited request was not carried out: it waits for its next turn, or fails with the time to wait.
      if response.status == 429, attempt < Self.attempts {
        attempt += 1
        continue
      }
      guard response.isSuccess else { throw MonicaError(Self.fault(of: response)) }
      return try Self.decode(type, response, "\(method) \(target.path)")
    }
  }

  private func request(
    _ method: String, _ target: Target, body: JSONValue?
  ) throws(MonicaError) -> HTTPRequest {
    do {
      var limits = TransferLimits()
      limits.connect = min(self.pace.timeout, .seconds(10))
      limits.idle = self.pace.timeout
      limits.total = self.pace.timeout
      limits.bodyBytes = Self.answerBytes
      limits.redirects = 0
      var request = HTTPRequest(
        method, try self.address.url(target.path, target.arguments), headers: ["Accept": "application/json"],
        credentials: self.credentials, limits: limits, isRepeatable: method != "POST")
      if let body {
        request.headers.add("Content-Type", "application/json")
        request.body = .bytes(Array(try JSONEncoder().encode(body)))
      }
      return request
    } catch let error as TransferError {
      throw MonicaError(.transfer(error))
    } catch {
      throw MonicaError(.transfer(.invalidRequest("\(error)")))
    }
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ response: HTTPResponse, _ request: String
  ) throws(MonicaError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(response.body))
    } catch let error as DecodingError {
      let isPage = response.headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true
      throw MonicaError(isPage ? .notMonica(.webPage) : .garbled("\(request): \(error.brief)"))
    } catch {
      throw MonicaError(.garbled("\(request): it is no JSON"))
    }
  }

  /// The fault for a failure status.
  private static func fault(of response: HTTPResponse) -> MonicaFault {
    let reply = ErrorReply(response.body)
    switch response.status {
    case 401: return .unauthenticated
    case 402: return .planLimit
    case 403: return .forbidden
    // Only Monica's own code shows that a record is missing; the path or a proxy may be unknown as well.
    case 404 where reply?.code == ErrorReply.recordMissing: return .missing
    case 404, 405, 410: return .notMonica(.unknownPath)
    case 429:
      return .rateLimited(wait: response.retryAfterMilliseconds.map { .milliseconds($0) } ?? RateLimiter.window)
    case 408, 500...:
      return .trouble(status: response.status, retryAfterMilliseconds: response.retryAfterMilliseconds)
    case 300..<400: return .notMonica(.redirect)
    default: return .refused(status: response.status, reply ?? ErrorReply(text: ""))
    }
  }
}

/// The wrapper of most answers.
struct Envelope<Value: Decodable>: Decodable {
  let data: Value

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    guard let data = try fields.object(Value.self, "data") else { throw fields.missing("data") }
    self.data = data
  }
}

extension Envelope: Sendable where Value: Sendable {}

/// The answer to a deletion.
struct Deletion: Decodable {
  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    guard fields.flag("deleted") == true else { throw fields.missing("deleted") }
  }
}

extension DecodingError {
  /// Where and how the JSON differs from the expected form.
  fileprivate var brief: String {
    switch self {
    case .keyNotFound(let key, let context): "\(Self.path(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      context.codingPath.isEmpty ? "it is no JSON object" : "\(Self.path(context.codingPath)) is of another kind"
    case .dataCorrupted: "it is no JSON"
    @unknown default: "it is no JSON"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined().trimmingPrefix(".").description
  }
}
