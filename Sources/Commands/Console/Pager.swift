internal import Bus
internal import Glibc

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
