internal import ArgumentParser
internal import Bus
internal import Foundation
internal import KithClient
internal import KithMessages

struct NewKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Make a key for this machine, in a file that only you can read.",
    discussion: """
      Needs no kithd. The hub gets to see the public half of it, the first time that it is used. Its key is what `kith keys show` \
      prints there.
      Example: kith keys new --file ~/.config/kith/key
      """)

  @OptionGroup var global: GlobalOptions

  @Option(help: "The file to create; an existing file is not replaced.", completion: .file())
  var file: String

  func validate() throws {
    guard self.file != OutputFile.standardOutput else {
      throw ValidationError("Name the file for the key: --file PATH.")
    }
  }

  /// The name of this machine as a key may have it.
  private static var machine: String {
    let host = ProcessInfo.processInfo.hostName.lowercased().prefix { $0 != "." }
    let name = String(host.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(32))
    return name.isEmpty ? "machine" : name
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
    console.print("Public key   \(key.publicKeyHex)")
    console.print("File         \(Printable.text(self.file))")
    console.print("")
    console.print("Compare the fingerprint, and let this machine in. On the hub:")
    console.print("kith keys approve --public-key \(key.publicKeyHex) --name \(Self.machine)")
  }
}
