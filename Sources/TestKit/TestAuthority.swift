internal import Foundation

/// A certificate authority for one test, created with the openssl program.
public final class TestAuthority: Sendable {
  /// A certificate that it issued.
  public struct Certificate: Sendable {
    /// The path of a PEM file with the certificate.
    public let file: String
    /// The path of a PEM file with its key.
    public let key: String
    /// The SHA-256 of its key, in base64.
    public let pin: String
  }

  /// The path of its own certificate.
  public let file: String
  /// The SHA-256 of its own key, in base64.
  public let pin: String
  private let key: String
  private let directory: TemporaryDirectory

  /// Creates an authority that no program trusts.
  ///
  /// - Throws: An error with openssl's output if openssl fails.
  public init() throws {
    directory = try TemporaryDirectory()
    file = directory.file("authority.pem")
    key = directory.file("authority.key")
    try Self.run(
      Self.request + [
        "-x509", "-keyout", key, "-out", file, "-days", "2", "-subj", "/CN=Authority of a test",
        "-addext", "basicConstraints=critical,CA:TRUE",
      ])
    pin = try Self.pin(of: file)
  }

  /// Issues a certificate.
  ///
  /// - Parameters:
  ///   - name: The name of its files.
  ///   - names: Its subject alternative names, in openssl's syntax.
  ///   - days: How long it is valid from now; negative = expired.
  /// - Throws: An error with openssl's output if openssl fails.
  public func issue(_ name: String, names: String, days: Int = 2) throws -> Certificate {
    let issued = (file: directory.file("\(name).pem"), key: directory.file("\(name).key"))
    let order = directory.file("\(name).csr")
    try Self.run(
      Self.request + [
        "-keyout", issued.key, "-out", order, "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(names)",
      ])
    try Self.run([
      "openssl", "x509", "-req", "-in", order, "-CA", file, "-CAkey", key, "-CAcreateserial", "-days", "\(days)",
      "-copy_extensions", "copy", "-out", issued.file,
    ])
    return Certificate(file: issued.file, key: issued.key, pin: try Self.pin(of: issued.file))
  }

  private static let request = [
    "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
  ]

  private static func pin(of file: String) throws -> String {
    try run([
      "sh", "-c",
      "openssl x509 -in \(file) -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64",
    ]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @discardableResult
  private static func run(_ command: [String]) throws -> String {
    struct Failed: Error { let output: String }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(output: text) }
    return text
  }
}
