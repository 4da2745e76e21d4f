internal import CLinux

/// Looks up in DNS where a domain has its address books (RFC 6764 section 3: TLS only), by the system's resolver.
///
/// ```swift
/// let (services, path) = await NameService().services(of: "example.com")
/// ```
public struct NameService: Sendable {
  /// Makes a name service.
  public init() {}

  /// Looks up `_carddavs._tcp` of a domain. Blocks a thread of the caller's task executor, or of the pool, while the
  /// resolver works, which is at most some seconds for each DNS server.
  ///
  /// - Returns: The services and their path; no services if the domain names none.
  @concurrent
  public func services(of domain: String) async -> (services: [ServiceRecord], path: String?) {
    let name = "_carddavs._tcp." + domain
    guard let services = Self.query(name, NameAnswer.serviceType)?.services, !services.isEmpty else { return ([], nil) }
    return (services, Self.query(name, NameAnswer.textType)?.path)
  }

  private static func query(_ name: String, _ type: Int) -> NameAnswer? {
    var isWhole = false
    // The buffer has the size that is named, and the name is valid for the call.
    let answer = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      let length = unsafe Int(kith_name_query(name, Int32(type), buffer.baseAddress, Int32(buffer.count)))
      isWhole = 0...buffer.count ~= length
      count = isWhole ? length : 0
    }
    return isWhole ? NameAnswer(answer) : nil
  }
}

/// A host and port of a service (SRV, RFC 2782).
///
/// ```swift
/// for service in services { print("https://\(service.target):\(service.port)") }
/// ```
public struct ServiceRecord: Sendable, Hashable {
  /// Lower priorities are tried first.
  public let priority: UInt16
  /// Among equal priorities, higher weights are tried first.
  public let weight: UInt16
  /// The TCP port.
  public let port: UInt16
  /// The host, in lower case, without the trailing dot.
  public let target: String

  /// Makes a record.
  public init(priority: UInt16, weight: UInt16, port: UInt16, target: String) {
    self.priority = priority
    self.weight = weight
    self.port = port
    self.target = target
  }
}

/// The SRV and TXT records of a DNS answer (RFC 1035 section 4, RFC 2782).
///
/// ```swift
/// if let answer = NameAnswer(message) { print(answer.services, answer.path ?? "/") }
/// ```
public struct NameAnswer: Sendable, Hashable {
  /// The services in the order to try them. Empty if the domain says that it has no such service.
  public let services: [ServiceRecord]
  /// The strings of the TXT records.
  public let texts: [String]

  /// Parses an answer; nil if it is malformed.
  public init?(_ message: [UInt8]) {
    var reader = Reader(message: message)
    guard reader.skip(4), let questions = reader.number(), let answers = reader.number(), reader.skip(4) else {
      return nil
    }
    for _ in 0..<questions { guard reader.name() != nil, reader.skip(4) else { return nil } }
    var services: [ServiceRecord] = []
    var texts: [String] = []
    for _ in 0..<answers {
      guard reader.name() != nil, let type = reader.number(), reader.skip(6), let length = reader.number() else {
        return nil
      }
      let end = reader.offset + Int(length)
      guard end <= message.count else { return nil }
      switch Int(type) {
      case Self.serviceType:
        guard let priority = reader.number(), let weight = reader.number(), let port = reader.number(),
          let target = reader.name()
        else { return nil }
        // A single dot means that there is no such service.
        if !target.isEmpty {
          services.append(ServiceRecord(priority: priority, weight: weight, port: port, target: target))
        }
      case Self.textType: texts += reader.strings(until: end)
      default: break
      }
      reader.offset = end
    }
    self.services = services.sorted { ($0.priority, $1.weight) < ($1.priority, $0.weight) }
    self.texts = texts
  }

  /// The value of `path=` in the texts (RFC 6764 section 4).
  public var path: String? {
    self.texts.first { $0.lowercased().hasPrefix("path=/") }.map { String($0.dropFirst("path=".count)) }
  }

  static let textType = 16
  static let serviceType = 33

  private struct Reader {
    let message: [UInt8]
    var offset = 0

    mutating func skip(_ count: Int) -> Bool {
      guard self.offset + count <= self.message.count else { return false }
      self.offset += count
      return true
    }

    mutating func number() -> UInt16? {
      guard self.offset + 2 <= self.message.count else { return nil }
      self.offset += 2
      return UInt16(self.message[self.offset - 2]) << 8 | UInt16(self.message[self.offset - 1])
    }

    mutating func strings(until end: Int) -> [String] {
      var strings: [String] = []
      while self.offset < end, self.offset + 1 + Int(self.message[self.offset]) <= end {
        let count = Int(self.message[self.offset])
        strings.append(String(decoding: self.message[self.offset + 1..<self.offset + 1 + count], as: UTF8.self))
        self.offset += 1 + count
      }
      return strings
    }

    /// Reads a name. A pointer at its end must lead to an earlier position, so that no pointer makes a loop.
    mutating func name() -> String? {
      var labels: [String] = []
      var at = self.offset
      var first = at
      var isPointed = false
      while at < self.message.count {
        let count = Int(self.message[at])
        switch count & 0xC0 {
        case 0:
          if !isPointed { self.offset = at + 1 + count }
          if count == 0 { return labels.joined(separator: ".").lowercased() }
          guard at + 1 + count <= self.message.count else { return nil }
          labels.append(String(decoding: self.message[at + 1..<at + 1 + count], as: UTF8.self))
          at += 1 + count
        case 0xC0:
          guard at + 1 < self.message.count else { return nil }
          let target = (count & 0x3F) << 8 | Int(self.message[at + 1])
          guard target < first else { return nil }
          first = target
          if !isPointed { self.offset = at + 2 }
          isPointed = true
          at = target
        default: return nil
        }
      }
      return nil
    }
  }
}
