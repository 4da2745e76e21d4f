internal import Bus
internal import KithMessages
internal import Storage

/// The rules for a channel: names, addresses and anything that goes into a header, so that no value can inject another
/// header line.
enum ChannelRules {
  /// The channel of a request, as it will be stored.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` naming the field.
  static func channel(_ request: AddChannelRequest, now: Int64) throws(Failure) -> Channel {
    var channel = request.channel
    channel.name = try Self.name(channel.name)
    channel.createdAt = .init(nanosecondsSince1970: now)
    channel.clearLast()
    switch channel.kind {
    case .mail(let mail)?: channel.mail = try Self.mail(mail)
    case .line(let line)?: try Self.line(line)
    case .ntfy(let ntfy)?: try Self.ntfy(ntfy)
    case .webhook(let webhook)?: try Self.webhook(webhook)
    case .command(let command)?: try Self.command(command)
    case .desktop?: break
    case .push?: throw .invalid(field: "channel.push", "is added by its device: open the page Reminders on it.")
    case nil: throw .invalid(field: "channel", "give one of mail, line, ntfy, webhook, command or desktop.")
    }
    try Self.secret(request.secret, file: channel.secretFile, field: "channel.secret_file")
    return channel
  }

  /// The push services of the browsers: those of Google, Mozilla, Apple and Microsoft. A device names the address that the hub then sends
  /// to, and must not reach other machines through it.
  private static let pushServices: Set = [
    "fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com",
  ]

  /// The channel of a device's browser.
  ///
  /// - Parameter more: Further hosts of push services, which the configuration allows.
  static func push(
    _ request: SubscribePushRequest, device: String, more: Set<String>, now: Int64
  ) throws(Failure) -> Channel {
    try Self.webAddress(request.endpoint, field: "endpoint")
    let authority = request.endpoint.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)[2]
    let host = Self.host(authority).lowercased()
    // What is no plain name could end before the part that is looked at: "evil.example?.push.apple.com".
    guard Self.isHost(host), Self.pushServices.union(more).contains(where: { host == $0 || host.hasSuffix(".\($0)") })
    else {
      throw .invalid(
        field: "endpoint",
        "is of no known push service. An admin can allow it in the configuration: [channels] push = [\"\(host)\"]")
    }
    guard !request.key.isEmpty, request.key.utf8.count <= 512, request.key.utf8.allSatisfy(Self.isBase64) else {
      throw .invalid(field: "key", "has to be a private key in base64.")
    }
    var channel = Channel()
    channel.name = Self.pushName(of: device)
    channel.push.endpoint = request.endpoint
    channel.push.device = device
    channel.createdAt = .init(nanosecondsSince1970: now)
    return channel
  }

  /// The name of the channel of a device's browser.
  static func pushName(of device: String) -> String { String("push-\(device)".prefix(32)) }

  private static func isBase64(_ byte: UInt8) -> Bool {
    Self.isTopicCharacter(byte) && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_") || "+/=".utf8.contains(byte)
  }

  /// Checks a secret: one line of visible characters.
  static func secret(_ secret: String, file: String, field: String) throws(Failure) {
    guard secret.isEmpty || file.isEmpty else {
      throw .invalid(field: field, "give a secret or a file that holds it, not both.")
    }
    guard secret.utf8.count <= 4096, !secret.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { throw .invalid(field: "secret", "must be at most 4,096 bytes, without control characters.") }
  }

  private static func name(_ name: String) throws(Failure) -> String {
    try GivenName.check(name, field: "channel.name")
    guard name != ChannelTable<ReadView>.desktop else {
      throw .invalid(field: "channel.name", "'desktop' exists already: it is the desktop of the user who runs kithd.")
    }
    return name
  }

  private static func mail(_ mail: MailChannel) throws(Failure) -> MailChannel {
    var mail = mail
    if mail.security.isEmpty { mail.security = "starttls" }
    guard ["starttls", "tls", "none"].contains(mail.security) else {
      throw .invalid(field: "channel.mail.security", "must be starttls or tls, or none for a server on this machine.")
    }
    guard Self.isHost(mail.host) else {
      throw .invalid(field: "channel.mail.host", "must be the name or the address of a mail server.")
    }
    guard mail.security != "none" || Self.isLoopback(mail.host) else {
      throw .invalid(
        field: "channel.mail.security", "none is only for this machine; the mail could be read on its way.")
    }
    guard mail.port <= 65535 else { throw .invalid(field: "channel.mail.port", "must be a number up to 65535.") }
    guard mail.username.utf8.count <= 256, Self.isVisible(mail.username) else {
      throw .invalid(field: "channel.mail.username", "must be at most 256 bytes, without control characters.")
    }
    guard Self.isMailAddress(mail.from) else {
      throw .invalid(field: "channel.mail.from", "must be one plain address such as kith@example.org.")
    }
    guard (1...20).contains(mail.to.count), mail.to.allSatisfy(Self.isMailAddress) else {
      throw .invalid(field: "channel.mail.to", "must be 1 to 20 plain addresses such as ann@example.org.")
    }
    return mail
  }

  private static func line(_ line: LineChannel) throws(Failure) {
    let digits = line.to.utf8.dropFirst()
    guard let kind = line.to.first, "UCR".contains(kind), digits.count == 32, digits.allSatisfy(Self.isHexDigit) else {
      throw .invalid(
        field: "channel.line.to", "must be the id of a user, group or room: U, C or R and 32 hexadecimal digits.")
    }
    if !line.address.isEmpty { try Self.webAddress(line.address, field: "channel.line.address") }
  }

  private static func ntfy(_ ntfy: NtfyChannel) throws(Failure) {
    if !ntfy.address.isEmpty { try Self.webAddress(ntfy.address, field: "channel.ntfy.address") }
    // The server's own rule: docs.ntfy.sh/publish.
    guard (1...64).contains(ntfy.topic.utf8.count), ntfy.topic.utf8.allSatisfy(Self.isTopicCharacter) else {
      throw .invalid(field: "channel.ntfy.topic", "must be 1 to 64 letters, digits, hyphens and underscores.")
    }
    guard ntfy.priority <= 5 else { throw .invalid(field: "channel.ntfy.priority", "must be 1 to 5.") }
    guard ntfy.username.utf8.count <= 256, Self.isVisible(ntfy.username), !ntfy.username.contains(":") else {
      throw .invalid(field: "channel.ntfy.username", "must be at most 256 bytes, without colon or control character.")
    }
    guard ntfy.tags.count <= 5,
      ntfy.tags.allSatisfy({ (1...32).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isTopicCharacter) })
    else {
      throw .invalid(field: "channel.ntfy.tags", "must be at most 5 words of letters, digits, hyphens and underscores.")
    }
  }

  private static func webhook(_ webhook: WebhookChannel) throws(Failure) {
    let field = "channel.webhook.address"
    let parts = webhook.address.components(around: "{secret}")
    guard parts.count <= 2 else { throw .invalid(field: field, "may contain {secret} only once.") }
    try Self.webAddress(webhook.address.replacing("{secret}", with: "x"), field: field)
    guard parts.count < 2 || parts[0].dropFirst(8).contains("/") else {
      throw .invalid(field: field, "may contain {secret} only after the host.")
    }
  }

  private static func command(_ command: CommandChannel) throws(Failure) {
    guard !command.program.isEmpty else {
      throw .invalid(field: "channel.command.program", "must be the absolute path of a program.")
    }
    guard command.arguments.count <= 50, command.arguments.allSatisfy({ $0.utf8.count <= 4096 && !$0.utf8.contains(0) })
    else { throw .invalid(field: "channel.command.arguments", "may have at most 50 arguments of 4,096 bytes each.") }
  }

  /// An address for messages: https, or http for this machine.
  private static func webAddress(_ address: String, field: String) throws(Failure) {
    let isPlain = address.utf8.count <= 2048 && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    let authority =
      address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
    guard isPlain, !authority.isEmpty, address.contains("://"), !address.contains("#") else {
      throw .invalid(field: field, "must be an address such as https://ntfy.example.org.")
    }
    guard !authority.contains("@") else {
      throw .invalid(
        field: field, "leave user name and password out of the address; give the secret separately.")
    }
    let isSafe = address.hasPrefix("https://") || address.hasPrefix("http://") && Self.isLoopback(Self.host(authority))
    guard isSafe else {
      throw .invalid(field: field, "must begin with https://; otherwise messages could be read on their way.")
    }
  }

  private static func host(_ authority: Substring) -> String {
    if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } + "]" }
    return String(authority.prefix { $0 != ":" })
  }

  /// An addr-spec of plain characters: RFC 5321, 4.1.2 allows more, which no present mailbox needs.
  private static func isMailAddress(_ address: String) -> Bool {
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].utf8.count), address.utf8.count <= 254 else { return false }
    let isPlain = parts[0].utf8.allSatisfy { byte in
      Self.isTopicCharacter(byte) || "!#$%&'*+/=?^`{|}~.".utf8.contains(byte)
    }
    return isPlain && Self.isHost(String(parts[1])) && !parts[1].hasPrefix("[")
  }

  private static func isHost(_ host: String) -> Bool {
    if host.hasPrefix("["), host.hasSuffix("]") {
      return host.dropFirst().dropLast().utf8.allSatisfy { Self.isHexDigit($0) || $0 == UInt8(ascii: ":") }
    }
    return !host.isEmpty && host.utf8.count <= 253 && !host.hasPrefix("-")
      && host.utf8.allSatisfy { Self.isTopicCharacter($0) || $0 == UInt8(ascii: ".") }
  }

  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "localhost" || host == "[::1]"
      || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func isVisible(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isTopicCharacter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_")
  }
}

extension String {
  /// The parts between the occurrences of a mark.
  fileprivate func components(around mark: String) -> [Substring] {
    self.split(separator: mark, omittingEmptySubsequences: false)
  }
}
