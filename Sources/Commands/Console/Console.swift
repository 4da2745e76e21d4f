internal import ArgumentParser
internal import Bus
internal import Glibc
internal import Help
internal import KithMessages
internal import Secrets
internal import SwiftProtobuf
internal import Synchronization

/// The streams and the terminal that a command prints to and asks on.
public struct Console: Sendable {
  /// Whether standard output is a terminal.
  let isTerminal: Bool
  /// The width of the terminal; nil without one.
  let columns: Int?
  /// The width of the terminal on standard error; nil without one.
  let errorColumns: Int?
  /// The colours of text.
  let style: Style
  /// Shows output that is longer than the terminal; nil = it is printed.
  var pager: (@Sendable ([String]) -> Bool)?
  private let out: @Sendable (String) -> Void
  private let err: @Sendable (String) -> Void
  private let input: @Sendable () -> [UInt8]?
  private let secret: @Sendable (String) -> String?
  private let answer: @Sendable (String) -> String?
  /// The `errno` of the first line that could not be printed; 0 = none.
  let lostError: @Sendable () -> Int32

  /// Makes a console from two outputs, an input and two prompts.
  ///
  /// - Parameters:
  ///   - columns: The width of the terminal; nil without one.
  ///   - errorColumns: That of the terminal on standard error; nil without one.
  ///   - pager: Shows lines; returns false if it decides not to, or cannot.
  ///   - input: Returns all of standard input; nil if it cannot be read.
  ///   - secret: Shows a prompt and returns the answer, which is not shown; nil without a terminal, or without an answer.
  ///   - answer: The same, with the answer shown.
  ///   - lostError: The `errno` of the first line that could not be printed; 0 = none.
  package init(
    isTerminal: Bool, columns: Int? = nil, errorColumns: Int? = nil, usesColour: Bool, showsLinks: Bool = false,
    pager: (@Sendable ([String]) -> Bool)? = nil,
    out: @escaping @Sendable (String) -> Void,
    err: @escaping @Sendable (String) -> Void, input: @escaping @Sendable () -> [UInt8]? = { nil },
    secret: @escaping @Sendable (String) -> String? = { _ in nil },
    answer: @escaping @Sendable (String) -> String? = { _ in nil },
    lostError: @escaping @Sendable () -> Int32 = { 0 }
  ) {
    self.isTerminal = isTerminal
    self.columns = columns
    self.errorColumns = errorColumns
    self.pager = pager
    self.style = Style(isOn: usesColour, showsLinks: usesColour && showsLinks)
    self.out = out
    self.err = err
    self.input = input
    self.secret = secret
    self.answer = answer
    self.lostError = lostError
  }

  private static let lost = Mutex<Int32>(0)

  /// Standard output and standard error. Colour on a terminal only, and not with `NO_COLOR` (no-color.org).
  public static let standard: Console = {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let allowsColour =
      (RuntimeLocations.variable("NO_COLOR") ?? "").isEmpty && RuntimeLocations.variable("TERM") != "dumb"
    let pager: @Sendable ([String]) -> Bool = { lines in
      lines.count >= Terminal.size().rows && Pager()?.show(lines) == true
    }
    return Console(
      isTerminal: isTerminal, columns: isTerminal ? Terminal.size().columns : nil,
      errorColumns: Columns.of(terminal: STDERR_FILENO),
      usesColour: isTerminal && allowsColour, showsLinks: Terminal.showsLinks,
      pager: isTerminal ? pager : nil,
      out: { text in
        guard !Self.write(text.utf8, to: STDOUT_FILENO) else { return }
        let code = errno
        // A reader that has seen enough closes the pipe.
        if code != EPIPE { Self.lost.withLock { if $0 == 0 { $0 = code } } }
      }, err: { _ = Self.write($0.utf8, to: STDERR_FILENO) },
      input: { InputFile.readStandardInput() },
      secret: { Terminal.readLine(prompt: $0, isShown: false) },
      answer: { Terminal.readLine(prompt: $0, isShown: true) }, lostError: { Self.lost.withLock { $0 } })
  }()

  /// Prints a line.
  func print(_ line: String) { self.out(line + "\n") }

  /// Prints a sentence, in as many lines as the terminal needs.
  func tell(_ sentence: String) {
    for line in Columns.folded(sentence, to: self.columns ?? .max) { self.print(line) }
  }

  /// Prints lines, through the pager if there are more than the terminal has.
  func page(_ lines: [String]) {
    guard self.pager?(lines) != true else { return }
    for line in lines { self.print(line) }
  }

  /// Prints a line to standard error, in as many lines as its terminal needs.
  func printError(_ line: String) {
    let lines = self.errorColumns.map { Columns.folded(line, to: $0) } ?? [line]
    self.err(lines.joined(separator: "\n") + "\n")
  }

  /// Replaces the line that the cursor is on; only for a terminal.
  func redraw(_ line: String) { self.out("\r\u{1B}[K" + line) }

  /// Asks for a secret without showing it, or reads it from standard input if `file` is `-`.
  ///
  /// - Parameters:
  ///   - kind: The kind of the secret, as in the option `--KIND-file`: `password`, `token`.
  ///   - file: The value of that option.
  /// - Throws: `FAILED_PRECONDITION/PASSWORD_MISSING` or the like without a terminal, or for an empty answer.
  func askSecret(
    _ prompt: String, kind: String = "password", file: String? = nil, _ say: Language
  ) throws(Failure) -> String {
    guard let secret = file == InputFile.standardInput ? self.secretLine() : self.secret(prompt), !secret.isEmpty else {
      throw Failure(
        .failedPrecondition, "\(kind.uppercased())_MISSING",
        say(
          "No \(kind) was given. Type it on a terminal, name a file that holds it with --\(kind)-file, or send it to "
            + "standard input with --\(kind)-file -.",
          "パスワードやトークンがありません。端末で入力するか、--\(kind)-file で読み込むファイルを指定してください (- は標準入力)。")
      ).worded
    }
    return secret
  }

  /// Standard input without its line end.
  private func secretLine() -> String? {
    self.input().flatMap { String(validating: SecretFile.secret(in: $0[...]), as: UTF8.self) }
  }

  /// Asks for a text, which is shown as it is typed.
  ///
  /// - Returns: Nil without a terminal, or after Ctrl-D.
  func ask(_ question: String) -> String? { self.answer(question) }

  /// Asks a question to be answered by yes or no; any other answer is no.
  func confirm(_ question: String) -> Bool {
    // The answer needs some columns too.
    let lines = Columns.folded("\(question) [y/N]", to: self.columns.map { max(20, $0 - 4) } ?? .max)
    return ["y", "yes", "はい"].contains(self.answer(lines.joined(separator: "\n") + " ")?.lowercased())
  }

  /// Prints why a command failed.
  ///
  /// - Parameter command: The command; nil if none was run.
  func report(_ failure: Failure, of command: (any ParsableCommand.Type)? = nil, asJSON: Bool) {
    guard asJSON, let json = try? Session.json(failure.status) else {
      let message = TypedFields.message(of: failure, command)
      return self.printError("kith: \(Printable.lines(message).joined(separator: "\n"))")
    }
    self.err(json + "\n")
  }

  /// Writes bytes to a descriptor, which may be non-blocking.
  ///
  /// - Returns: False if a write failed; `errno` has the reason.
  static func write(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&item, 1, -1)
      } else if count == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}

/// Colour by the codes of ECMA-48, or none.
struct Style: Sendable {
  let isOn: Bool
  /// Whether text may lead somewhere: OSC 8.
  var showsLinks = false

  func bold(_ text: String) -> String { self.wrap(text, "1") }
  func dim(_ text: String) -> String { self.wrap(text, "2") }
  func good(_ text: String) -> String { self.wrap(text, "32") }
  func bad(_ text: String) -> String { self.wrap(text, "31") }
  func notice(_ text: String) -> String { self.wrap(text, "33") }

  /// A text that leads to an address, if it has one that is plain ASCII.
  func link(_ text: String, _ link: ReachLink?) -> String {
    guard self.showsLinks, let address = link?.address, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return text }
    return "\u{1B}]8;;\(address)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
  }

  private func wrap(_ text: String, _ code: String) -> String { self.isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

/// A progress bar as a line.
struct ProgressBar: Sendable {
  private static let cells = 24

  let label: String
  let style: Style

  /// The line, without its end.
  ///
  /// - Parameters:
  ///   - fraction: From 0 to 1; other values count as the nearer end.
  ///   - note: Shown behind the bar.
  func line(fraction: Double, note: String = "") -> String {
    let share = min(1, max(0, fraction.isFinite ? fraction : 0))
    let filled = Int((share * Double(Self.cells)).rounded(.down))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.cells - filled)
    let percent = Printable.padded("\(Int((share * 100).rounded(.down)))%", to: 4, alignment: .right)
    return [self.label, self.style.good(bar), percent, Printable.text(note)].filter { !$0.isEmpty }.joined(
      separator: " ")
  }
}

/// The controlling terminal, even if standard input and output are redirected.
enum Terminal {
  /// The size of the terminal that standard output is: ioctl_tty(2). 24 lines of 80 columns where it has none.
  static func size() -> (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Whether the terminal says that it is one of those that show links. Others would show their addresses, or nothing.
  static var showsLinks: Bool {
    let name = RuntimeLocations.variable("TERM") ?? ""
    guard !name.hasPrefix("screen"), !name.hasPrefix("tmux") else { return false }
    // Of libvte, 0.50 and later.
    if let version = RuntimeLocations.variable("VTE_VERSION").flatMap({ Int($0) }) { return version >= 5000 }
    return ["iTerm.app", "WezTerm", "vscode", "ghostty"].contains(RuntimeLocations.variable("TERM_PROGRAM"))
      || ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm"].contains { name.hasPrefix($0) }
      || ["KONSOLE_VERSION", "WT_SESSION"].contains { RuntimeLocations.variable($0) != nil }
  }

  /// What Ctrl-C sends.
  private static let interrupt: UInt8 = 3
  private static let lineEnd = UInt8(ascii: "\n")

  /// Shows a prompt and reads a line. termios(3), getpass(3).
  ///
  /// - Parameter isShown: Whether the answer is shown.
  /// - Returns: Nil without a terminal, after Ctrl-D, or after Ctrl-C where the answer is not shown.
  static func readLine(prompt: String, isShown: Bool) -> String? {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { return nil }
    var asking = before
    if !isShown {
      // Ctrl-C is read as a character, so that the terminal is restored before the program ends.
      asking.c_lflag &= ~tcflag_t(ECHO | ISIG)
      asking.c_lflag |= tcflag_t(ECHONL)
      // It ends the line as Enter does, so it is read at once: termios(3).
      withUnsafeMutableBytes(of: &asking.c_cc) { unsafe $0[Int(VEOL)] = Self.interrupt }
    }
    guard tcsetattr(descriptor, TCSAFLUSH, &asking) == 0 else { return nil }
    defer { tcsetattr(descriptor, TCSAFLUSH, &before) }
    _ = prompt.withCString { write(descriptor, $0, strlen($0)) }
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1, byte != Self.lineEnd, byte != Self.interrupt { line.append(byte) }
    guard byte == Self.lineEnd else {
      // The cursor is still behind the prompt.
      _ = Console.write([Self.lineEnd], to: descriptor)
      return nil
    }
    return String(validating: line, as: UTF8.self)
  }
}

/// A program that shows long output a screen at a time, as git chooses and runs it.
struct Pager {
  private let command: String

  /// `KITH_PAGER`, else `PAGER`, else less(1).
  ///
  /// - Returns: Nil if there is none: the variable is empty or `cat`, or less is not installed.
  init?() {
    let named = RuntimeLocations.variable("KITH_PAGER") ?? RuntimeLocations.variable("PAGER")
    let command = named ?? (InstalledProgram.path(of: "less") == nil ? "" : "less")
    guard !command.isEmpty, command != "cat" else { return nil }
    self.command = command
  }

  /// Shows lines until the person has seen them.
  ///
  /// - Returns: False if the program could not be started.
  func show(_ lines: [String]) -> Bool {
    // less: ends at once if all fits, keeps colours, leaves the text on the screen.
    setenv("LESS", "FRX", 0)
    // Ctrl-C belongs to the pager, and who leaves it early ends the writing.
    let signals = Interrupt.catching {}
    let before = signal(SIGPIPE, SIG_IGN)
    defer {
      signal(SIGPIPE, before)
      signals.end()
    }
    guard let pipe = popen(self.command, "we") else { return false }
    for line in lines where fputs(line + "\n", pipe) < 0 { break }
    // 127 is the shell's code for a program that it does not find: sh(1).
    return pclose(pipe) != 127 << 8
  }
}
