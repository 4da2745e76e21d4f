internal import Bus
internal import Glibc
internal import KithMessages
internal import SwiftProtobuf

/// Where a command prints.
public struct Console: Sendable {
  /// Whether a person looks at standard output.
  let isTerminal: Bool
  /// How text is coloured.
  let style: Style
  private let out: @Sendable (String) -> Void
  private let err: @Sendable (String) -> Void
  private let secret: @Sendable (String) -> String?
  private let answer: @Sendable (String) -> String?

  /// Makes a console of two places to write to and two ways to ask.
  ///
  /// - Parameters:
  ///   - secret: Shows a prompt and gives what was typed, unseen; nil where nobody can be asked.
  ///   - answer: The same, with what is typed shown.
  package init(
    isTerminal: Bool, usesColour: Bool, out: @escaping @Sendable (String) -> Void,
    err: @escaping @Sendable (String) -> Void, secret: @escaping @Sendable (String) -> String? = { _ in nil },
    answer: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.isTerminal = isTerminal
    self.style = Style(isOn: usesColour)
    self.out = out
    self.err = err
    self.secret = secret
    self.answer = answer
  }

  /// Standard output and standard error. Colour on a terminal only, and not with `NO_COLOR` (no-color.org).
  public static let standard: Console = {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let allowsColour =
      (RuntimeLocations.variable("NO_COLOR") ?? "").isEmpty && RuntimeLocations.variable("TERM") != "dumb"
    return Console(
      isTerminal: isTerminal, usesColour: isTerminal && allowsColour,
      out: { Self.write($0, to: STDOUT_FILENO) }, err: { Self.write($0, to: STDERR_FILENO) },
      secret: { Terminal.readLine(prompt: $0, isShown: false) },
      answer: { Terminal.readLine(prompt: $0, isShown: true) })
  }()

  /// Prints a line.
  func print(_ line: String) { self.out(line + "\n") }

  /// Prints a line to standard error.
  func printError(_ line: String) { self.err(line + "\n") }

  /// Replaces the line that the cursor is on; only for a terminal.
  func redraw(_ line: String) { self.out("\r\u{1B}[K" + line) }

  /// Asks for a secret, which is not shown while it is typed.
  ///
  /// - Parameter kind: What it is, which names the option that takes a file instead: `password`, `token`.
  /// - Throws: `FAILED_PRECONDITION/PASSWORD_MISSING` or the like where nobody can be asked.
  func askSecret(_ prompt: String, kind: String = "password") throws(Failure) -> String {
    guard let secret = self.secret(prompt), !secret.isEmpty else {
      throw Failure(
        .failedPrecondition, "\(kind.uppercased())_MISSING",
        "No \(kind) was given. Type it on a terminal, or name a file that holds it with --\(kind)-file.")
    }
    return secret
  }

  /// Asks whether something shall be done.
  ///
  /// - Throws: `CANCELLED/CANCELLED_BY_USER` for any answer that is not yes.
  func confirm(_ question: String) throws(Failure) {
    let answer = self.answer("\(question) [y/N] ")?.lowercased()
    guard answer == "y" || answer == "yes" else { throw .cancelled }
  }

  /// Prints why a command failed.
  func report(_ failure: Failure, asJSON: Bool) {
    guard asJSON, let json = try? Session.json(failure.status) else {
      return self.printError("kith: \(Printable.lines(failure.message).joined(separator: "\n"))")
    }
    self.printError(json)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        return
      }
      rest = rest.dropFirst(count)
    }
  }
}
