public import Transfer

/// A WebDAV client for the servers of one account.
///
/// Each answer is parsed while it arrives. Cancelling the task ends the request.
///
/// ```swift
/// let client = DAVClient(http: http, credentials: .basic(username: "alice", password: password))
/// let book = try AddressBook(url: WebURL("https://example.com/alice/contacts/"), client: client)
/// ```
public struct DAVClient: Sendable {
  private let http: HTTPClient
  private let credentials: Credentials?
  private let allowsPlainHTTP: Bool
  let limits: XMLLimits

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - http: Sends the requests, with the TLS settings of the account.
  ///   - credentials: The account's credentials; sent to the requested server only.
  ///   - allowsPlainHTTP: True if the account may be read unencrypted from another machine.
  ///   - limits: The bounds on answers.
  public init(
    http: HTTPClient, credentials: Credentials?, allowsPlainHTTP: Bool = false, limits: XMLLimits = XMLLimits()
  ) {
    self.http = http
    self.credentials = credentials
    self.allowsPlainHTTP = allowsPlainHTTP
    self.limits = limits
  }

  /// An answer, and the server that it came from.
  struct Exchange: Sendable {
    var reply: DAVReply
    /// The URL that answered, after redirects.
    var url: WebURL
    /// The URL after permanent redirects.
    var permanentURL: WebURL?
  }

  /// The executor of the requests: a task that waits there for an answer continues as soon as it arrives.
  var executor: any TaskExecutor { self.http.executor }

  /// Sends a request and reads the answer to its end.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - url: The resource; if the request names another one of the same origin, that one.
  ///   - place: The address book's name in errors.
  ///   - sink: Receives the pieces of a successful answer's body, on the loop, as they arrive; without a sink the reply
  ///     holds the parsed multistatus.
  func exchange(
    _ request: DAVRequest, at url: WebURL, place: String, sink: HTTPClient.Sink? = nil
  ) async throws(DAVError) -> Exchange {
    guard sink == nil, request.method != .get else {
      return try await self.carry(request, at: url, place: place, sink: sink)
    }
    let reading: MultistatusReading
    do throws(XMLFault) { reading = try MultistatusReading(limits: self.limits) } catch {
      throw .xml(error, place: place)
    }
    var exchange: Exchange
    do throws(DAVError) {
      exchange = try await self.carry(request, at: url, place: place) { try reading.read($0) }
    } catch {
      throw reading.fault.map { .xml($0, place: place) } ?? error
    }
    guard exchange.reply.status == 207 else { return exchange }
    do throws(XMLFault) { (exchange.reply.responses, exchange.reply.end) = try reading.finish() } catch {
      throw .xml(error, place: place)
    }
    return exchange
  }

  private func carry(
    _ request: DAVRequest, at url: WebURL, place: String, sink: HTTPClient.Sink?
  ) async throws(DAVError) -> Exchange {
    let response: HTTPResponse
    do throws(TransferError) {
      let message = try self.message(request, at: url)
      if let sink {
        response = try await self.http.send(message, sink: sink)
      } else {
        response = try await self.http.send(message)
      }
    } catch {
      if case .tooLarge(let limit, _) = error { throw .tooLarge(place: place, what: "\(limit) bytes") }
      throw .transfer(error)
    }
    var reply = DAVReply(status: response.status)
    reply.retryAfter = response.retryAfterMilliseconds.map { Int(($0 + 999) / 1000) }
    reply.entityTag = response.headers["ETag"]
    if request.method == .get {
      reply.body = response.body
    } else if response.status != 207 {
      reply.end = Self.refusal(response.body)
    }
    return Exchange(reply: reply, url: response.url, permanentURL: response.permanentURL)
  }

  /// Sends a request to an address book, and follows redirects within the family of its server.
  ///
  /// - Throws: Also ``DAVError/elsewhere(place:url:)``: the answer of a server outside the family is ignored, because
  ///   that server would get the password next.
  func ask(
    _ request: DAVRequest, ofBook url: WebURL, sink: HTTPClient.Sink? = nil
  ) async throws(DAVError) -> Exchange {
    let place = url.description
    let exchange = try await self.exchange(request, at: url, place: place, sink: sink)
    guard exchange.url.origin != url.origin else { return exchange }
    guard ServerFamily(of: url).includes(exchange.url) else {
      throw .elsewhere(place: place, url: exchange.url.description)
    }
    // The password is not sent along with a redirect to another host.
    guard exchange.reply.status == 401 else { return exchange }
    var again = try await self.exchange(request.untargeted, at: exchange.url, place: place, sink: sink)
    again.permanentURL = again.permanentURL ?? exchange.permanentURL
    return again
  }

  private func message(_ request: DAVRequest, at url: WebURL) throws(TransferError) -> HTTPRequest {
    var message = HTTPRequest(
      request.method.rawValue,
      try request.target.map { (target) throws(TransferError) in try url.resolving(target.path) } ?? url)
    for header in request.headers { message.headers.add(header.name, header.value) }
    // Within one machine, compression costs both sides more than it saves.
    if url.isLoopback { message.headers.add("Accept-Encoding", "identity") }
    if !request.body.isEmpty { message.body = .bytes(request.body) }
    message.credentials = self.credentials
    message.allowsPlainHTTP = self.allowsPlainHTTP
    if request.method == .get { message.limits.bodyBytes = self.limits.textBytes }
    return message
  }

  /// The failed preconditions (RFC 4918 section 16) in the body of a refusal; none for an HTML page.
  private static func refusal(_ body: [UInt8]) -> MultistatusEnd {
    do throws(XMLFault) {
      var reader = try MultistatusReader()
      // The span lives for the call.
      _ = unsafe try reader.read(body.span.bytes)
      return try reader.finish().end
    } catch { return MultistatusEnd() }
  }
}
