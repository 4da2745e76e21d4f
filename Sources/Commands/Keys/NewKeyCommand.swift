internal import ArgumentParser
internal import Bus
internal import KithClient
internal import KithMessages

struct NewKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Make a key for this machine, in a file that nobody else may read.",
    discussion: """
      Needs no kithd. The hub gets to see the public half of it, the first time that it is used.
      Example: kith keys new --file ~/.config/kith/key --server-key KEY
      """)

  @OptionGroup var global: GlobalOptions

  @Option(help: "Where to; nothing that is there is replaced.", completion: .file())
  var file: String

  func validate() throws {
    guard self.file != OutputFile.standardOutput else {
      throw ValidationError("A key is kept in a file that nobody else may read: give --file the path of one.")
    }
  }

  func run() async throws {
    let key = try KeyFile.make(at: self.file, serverKey: self.global.serverKey)
    let console = Console.standard
    guard !self.global.json else {
      var info = KeyInfo()
      info.publicKeyZ85 = key.publicKey
      info.fingerprint = key.fingerprint
      return console.print(try Session.json(info))
    }
    console.print("Fingerprint  \(key.fingerprint)")
    console.print("Public key   \(key.publicKey)")
    console.print("File         \(Printable.text(self.file))")
  }
}
