internal import Glibc

/// The terminal that a person sits at, also where standard input and output lead elsewhere.
enum Terminal {
  /// What Ctrl-C sends.
  private static let interrupt: UInt8 = 3

  /// Shows a prompt and reads a line. termios(3), getpass(3).
  ///
  /// - Parameter isShown: Whether what is typed is shown.
  /// - Returns: Nil where there is no terminal.
  static func readLine(prompt: String, isShown: Bool) -> String? {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { return nil }
    var asking = before
    if !isShown {
      // Ctrl-C is read as a character, so that the terminal is as it was when the program ends.
      asking.c_lflag &= ~tcflag_t(ECHO | ISIG)
      asking.c_lflag |= tcflag_t(ECHONL)
      // At once: it ends a line as Enter does, termios(3).
      withUnsafeMutableBytes(of: &asking.c_cc) { unsafe $0[Int(VEOL)] = Self.interrupt }
    }
    guard tcsetattr(descriptor, TCSAFLUSH, &asking) == 0 else { return nil }
    defer { tcsetattr(descriptor, TCSAFLUSH, &before) }
    _ = prompt.withCString { write(descriptor, $0, strlen($0)) }
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < 4096, read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
      guard byte != Self.interrupt else { return nil }
      line.append(byte)
    }
    return String(validating: line, as: UTF8.self)
  }
}
