internal import Bus

/// Where the bus of a session listens: the path of a socket, or the name of one that no file has.
enum BusAddress: Sendable, Hashable {
  case path(String)
  case abstract(String)

  /// The addresses of the session of whoever runs this process, in the order in which they are tried.
  static var ofSession: [BusAddress] {
    let runtime = RuntimeLocations.variable("XDG_RUNTIME_DIR") ?? ""
    let named = RuntimeLocations.variable("DBUS_SESSION_BUS_ADDRESS") ?? ""
    guard named.isEmpty else { return Self.read(named, runtimeDirectory: runtime) }
    return runtime.isEmpty ? [] : [.path("\(runtime)/bus")]
  }

  /// Reads a list of addresses: D-Bus Specification, "Server Addresses". What is no socket of this machine is passed over.
  static func read(_ list: String, runtimeDirectory: String) -> [BusAddress] {
    list.split(separator: ";").compactMap { address in
      guard address.hasPrefix("unix:") else { return nil }
      var values: [Substring: String] = [:]
      for pair in address.dropFirst(5).split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let value = Self.unescaped(parts[1]) else { return nil }
        values[parts[0]] = value
      }
      if let path = values["path"] { return .path(path) }
      if let name = values["abstract"] { return .abstract(name) }
      return values["runtime"] == "yes" && !runtimeDirectory.isEmpty ? .path("\(runtimeDirectory)/bus") : nil
    }
  }

  /// The bytes of `sun_path`; nil when they are too many.
  var name: [UInt8]? {
    let name: [UInt8] =
      switch self {
      case .path(let path): Array(path.utf8) + [0]
      case .abstract(let name): [0] + Array(name.utf8)
      }
    return name.count <= 108 ? name : nil
  }

  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
