internal import CLinux

/// Asks the system's name service where a domain has its address books (RFC 6764 section 3: TLS only).
public struct NameService: Sendable {
  /// Asks nobody else.
  public init() {}

  /// Looks up `_carddavs._tcp` of a domain. Blocks a thread of the caller's task executor, or of the pool, for as long
  /// as the name service takes, at most some seconds a server.
  ///
  /// - Returns: The services, and the path that they are at; no services where the domain names none.
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
