internal import Glibc

/// The terminal that a person sits at, also where standard input and output lead elsewhere.
enum Terminal {
  /// What Ctrl-C sends.
  private static let interrupt: UInt8 = 3

  /// Shows a prompt and reads a line without showing it. termios(3), getpass(3).
  ///
  /// - Returns: Nil where there is no terminal.
  static func readSecret(prompt: String) -> String? {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var shown = termios()
    guard tcgetattr(descriptor, &shown) == 0 else { return nil }
    var hidden = shown
    // Ctrl-C is read as a character, so that the terminal is as it was when the program ends.
    hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
    hidden.c_lflag |= tcflag_t(ECHONL)
    guard tcsetattr(descriptor, TCSAFLUSH, &hidden) == 0 else { return nil }
    defer { tcsetattr(descriptor, TCSAFLUSH, &shown) }
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
