internal import ArgumentParser
internal import Bus
internal import Foundation
internal import Glibc
internal import KithMessages

struct SetupWebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Choose how kith-web is protected, and print what has to be set up.",
    discussion: """
      Writes only the file that --write-drop-in names.
      Example: kith web setup --yes --way own-ca --name kith.home.arpa
      """)

  private var say: Language { .ofLocale }

  @Option(help: "certificate, proxy, own-ca or plain.")
  var way: WebWay?

  @Option(help: "The name by which devices reach kith-web.")
  var name: String?

  @Option(help: "The port of kith-web. Default: 8443; 8080 for proxy and plain.")
  var port: Int?

  @Option(help: "For the way certificate: the file with the certificate, in PEM form.", completion: .file())
  var cert: String?

  @Option(help: "For the way certificate: the file with its private key.", completion: .file())
  var keyFile: String?

  @Option(
    help:
      "Write the drop-in of the systemd unit to this file, such as /etc/systemd/system/kith-web.service.d/setup.conf.",
    completion: .file())
  var writeDropIn: String?

  @Flag(name: .shortAndLong, help: "Ask nothing: take the options as they are.")
  var yes = false

  func run() async throws { try self.run(on: .standard) }

  /// Asks for what the options do not say, checks it, and prints what has to be set up.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for what is missing or wrong, `FAILED_PRECONDITION/FILE_NOT_WRITTEN`.
  func run(on console: Console) throws(Failure) {
    let setup = try self.setup(console)
    console.tell("\(setup.way.rawValue): \(setup.way.explanation(self.say))")
    for problem in Self.problems(of: setup, self.say) { console.tell(self.say("Check: ", "確認: ") + problem) }
    Self.show(self.say("Command", "コマンド"), setup.command, console)
    Self.show(
      self.say("Drop-in of the unit", "ユニットの設定") + ": /etc/systemd/system/kith-web.service.d/setup.conf", setup.dropIn,
      console)
    Self.show(self.say("In kithd.toml", "kithd.toml に書くもの"), setup.hubLines, console)
    if setup.way == .proxy {
      Self.show("nginx", setup.nginx, console)
      Self.show(self.say("or Caddy", "または Caddy"), setup.caddy, console)
    }
    guard let path = self.writeDropIn else {
      return console.print(
        "\n" + self.say("Nothing was written. Afterwards:", "何も書いていません。このあと:") + " kith web pair --name NAME")
    }
    do {
      let file = URL(fileURLWithPath: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(setup.dropIn.utf8).write(to: file, options: .atomic)
    } catch {
      throw Failure(
        .failedPrecondition, "FILE_NOT_WRITTEN",
        "The file \(path) was not written: \(error.localizedDescription) Check the folder and your rights.")
    }
    console.print(
      "\n" + self.say("Written: \(Printable.text(path)). Next:", "\(Printable.text(path)) に書きました。次に:")
        + " systemctl daemon-reload && systemctl restart kith-web")
  }

  private static func show(_ title: String, _ text: String, _ console: Console) {
    console.print("\n\(console.style.bold(title)):")
    for line in Printable.lines(text) { console.print("  \(line)") }
  }

  // MARK: - Questions

  private func setup(_ console: Console) throws(Failure) -> WebSetup {
    let way: WebWay
    if let given = self.way { way = given } else { way = try self.askWay(console) }
    let port = self.port ?? (way == .proxy || way == .plain ? 8080 : 8443)
    guard (1...65_535).contains(port) else { throw .invalid(field: "port", "has to be between 1 and 65535.") }
    let name = try self.value(
      self.name, "name", self.say("Name of kith-web, such as kith.home.arpa: ", "kith-web の名前 (例: kith.home.arpa): "),
      console)
    guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }) else {
      throw .invalid(field: "name", "has to be the name of a host, such as kith.home.arpa, without a port.")
    }
    var setup = WebSetup(way: way, name: name, port: port)
    if way == .certificate {
      setup.certificate = try self.value(
        self.cert, "cert", self.say("File of the certificate: ", "証明書のファイル: "), console)
      setup.keyFile = try self.value(
        self.keyFile, "key-file", self.say("File of its private key: ", "秘密鍵のファイル: "), console)
      let files = [("cert", setup.certificate), ("key-file", setup.keyFile)]
      for (field, path) in files where !path.hasPrefix("/") || path.contains(where: \.isNewline) {
        throw .invalid(field: field, "has to be the whole path, which begins with a slash.")
      }
    } else if self.cert != nil || self.keyFile != nil {
      throw .invalid(field: "cert", "belongs to --way certificate.")
    }
    return setup
  }

  private func askWay(_ console: Console) throws(Failure) -> WebWay {
    guard !self.yes else { throw .invalid(field: "way", "is missing: certificate, proxy, own-ca or plain.") }
    for (index, way) in WebWay.allCases.enumerated() {
      console.tell("\(index + 1)  \(way.rawValue): \(way.explanation(self.say))")
    }
    let answer = console.ask(self.say("Which way, 1 to 4? ", "どの方法にしますか (1-4)? ")) ?? ""
    guard let number = Int(answer), WebWay.allCases.indices.contains(number - 1) else {
      throw .invalid(field: "way", "has to be a number from 1 to 4, or the option --way.")
    }
    return WebWay.allCases[number - 1]
  }

  private func value(_ given: String?, _ field: String, _ question: String, _ console: Console) throws(Failure)
    -> String
  {
    let value = given ?? (self.yes ? nil : console.ask(question)) ?? ""
    guard !value.isEmpty else { throw .invalid(field: field, "is missing: --\(field)") }
    return value
  }

  // MARK: - Checks

  /// What would keep kith-web from starting or from being found.
  static func problems(of setup: WebSetup, _ say: Language) -> [String] {
    var problems: [String] = []
    let files = setup.way == .certificate ? [setup.certificate, setup.keyFile] : []
    // The string outlives the call.
    for path in files where unsafe access(path, R_OK) != 0 {
      problems.append(
        say(
          "\(path) cannot be read by you. The user kith-web has to be able to read it.",
          "\(path) を読めません。ユーザー kith-web が読めるようにしてください。"))
    }
    if !Self.resolves(setup.name) {
      problems.append(
        say(
          "\(setup.name) has no address. Add it to your router's names, or to the DNS of its domain.",
          "\(setup.name) のアドレスがありません。ルーターか、ドメインの DNS に登録してください。"))
    }
    if !Self.isFree(setup.port) {
      problems.append(
        say(
          "port \(setup.port) is in use on this machine. If it is not kith-web, take another one: --port",
          "ポート \(setup.port) は使われています。kith-web でなければ、--port で別のものにしてください。"))
    }
    return problems
  }

  private static func resolves(_ name: String) -> Bool {
    var found: UnsafeMutablePointer<addrinfo>?
    // The string outlives the call, which writes `found` only if it succeeds; the list is freed once.
    guard unsafe getaddrinfo(name, nil, nil, &found) == 0 else { return false }
    unsafe freeaddrinfo(found)
    return true
  }

  private static func isFree(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var one: Int32 = 1
    // `one` has the size that is given.
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    // A sockaddr_in is passed as the sockaddr that it begins with, with its own size.
    let status = unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe bind(
        descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
    return status == 0 || errno != EADDRINUSE
  }
}
