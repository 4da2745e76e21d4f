import Glibc
internal import KithMessages

/// The directories of the daemon's state and sockets. Hub and clients look in the same places.
///
/// ```swift
/// let locations = try RuntimeLocations()
/// print(locations.controlSocket)  // /run/user/1000/kith/control.sock
/// ```
///
/// | directory | option, else variable, else |
/// | --- | --- |
/// | state | `KITH_STATE_DIR`, `$XDG_STATE_HOME/kith`, `~/.local/state/kith` |
/// | runtime | `KITH_RUNTIME_DIR`, `$XDG_RUNTIME_DIR/kith`, `/run/user/UID/kith` if that is ours, `run` in the state directory |
public struct RuntimeLocations: Sendable, Hashable {
  /// The directory of the store.
  public let stateDirectory: String
  /// The directory of the sockets.
  public let runtimeDirectory: String

  /// Finds the directories and creates nothing.
  ///
  /// - Parameters:
  ///   - runtimeDirectory: As given on the command line; nil = look for it.
  ///   - stateDirectory: As given on the command line; nil = look for it.
  ///   - environment: Returns the value of a variable.
  /// - Throws: `FAILED_PRECONDITION/NOT_CONFIGURED` if there is neither a variable nor a home directory.
  public init(
    runtimeDirectory: String? = nil, stateDirectory: String? = nil,
    environment: (String) -> String? = RuntimeLocations.variable
  ) throws(Failure) {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let state = stateDirectory ?? value("KITH_STATE_DIR") ?? value("XDG_STATE_HOME").map { $0 + "/kith" }
    if let state {
      self.stateDirectory = Self.absolute(state)
    } else if let home = value("HOME") {
      self.stateDirectory = home + "/.local/state/kith"
    } else {
      throw Failure(
        .failedPrecondition, "NOT_CONFIGURED",
        "There is no home directory to keep state in. Set KITH_STATE_DIR, or HOME.")
    }
    if let runtime = runtimeDirectory ?? value("KITH_RUNTIME_DIR") {
      self.runtimeDirectory = Self.absolute(runtime)
    } else if let session = value("XDG_RUNTIME_DIR") ?? Self.sessionDirectory() {
      self.runtimeDirectory = session + "/kith"
    } else {
      self.runtimeDirectory = self.stateDirectory + "/run"
    }
  }

  /// The directory of the sockets of the system-wide systemd unit.
  public static let systemRuntimeDirectory = "/run/kith"

  /// The places where clients and workers look for the daemon: only the named place if an option or variable names one;
  /// otherwise the user's place, then the machine's.
  ///
  /// - Throws: As ``init(runtimeDirectory:stateDirectory:environment:)``.
  public static func places(
    runtimeDirectory: String? = nil, stateDirectory: String? = nil,
    environment: (String) -> String? = RuntimeLocations.variable
  ) throws(Failure) -> [RuntimeLocations] {
    let own = try Self(runtimeDirectory: runtimeDirectory, stateDirectory: stateDirectory, environment: environment)
    guard runtimeDirectory == nil, environment("KITH_RUNTIME_DIR") ?? "" == "" else { return [own] }
    return [
      own,
      try Self(
        runtimeDirectory: Self.systemRuntimeDirectory, stateDirectory: stateDirectory, environment: environment),
    ]
  }

  /// The file of the control plane's socket.
  public var controlSocket: String { self.runtimeDirectory + "/control.sock" }

  /// The file of the events plane's socket.
  public var eventsSocket: String { self.runtimeDirectory + "/events.sock" }

  /// The file of the work plane's socket.
  public var workSocket: String { self.runtimeDirectory + "/work.sock" }

  /// The value of an environment variable of this process.
  public static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The absolute form of a path; a relative path is below the working directory.
  public static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let working = getcwd(nil, 0) else { return path }
    defer { free(working) }
    return String(cString: working) + "/" + path
  }

  private static func sessionDirectory() -> String? {
    let path = "/run/user/\(geteuid())"
    var status = stat()
    return stat(path, &status) == 0 && status.st_uid == geteuid() ? path : nil
  }
}
