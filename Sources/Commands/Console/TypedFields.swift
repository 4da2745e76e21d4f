internal import ArgumentParser
internal import Bus
internal import Help
internal import KithMessages

/// What a person types for the fields of messages: the options and arguments of a command.
///
/// ```swift
/// TypedFields(of: AddChannelCommand.self).spelling(of: "channel.ntfy.topic")  // "--ntfy"
/// ```
struct TypedFields {
  /// `--note`, `<person>`; nil if no command is known.
  private let spellings: Set<String>?

  init(of command: (any ParsableCommand.Type)?) {
    let tree = command.flatMap { try? CommandTree(of: $0) }
    self.spellings = tree.map { Set($0.spellings) }
  }

  /// The message of a failure in the words of the command line: options instead of fields, methods without their package.
  static func message(of failure: Failure, _ command: (any ParsableCommand.Type)?) -> String {
    let message = failure.message.replacing("kith.v1.", with: "")
    guard failure.reason == "FIELD_INVALID", let field = failure.status.details.keys.first,
      message.hasPrefix("\(field): ")
    else { return message }
    let fields = Self(of: command)
    var why = String(message.dropFirst(field.count))
    // A person types a category as it is printed.
    if field.split(separator: ".").last == "category" { why = why.replacing("_", with: " ") }
    // What stands in quotes is what the person typed. An apostrophe after a letter quotes nothing.
    why = why.replacing(/\w'|'.*?'(?!\w)|「.*?」|`([a-z_]+)`|\b[a-z]+(?:_[a-z]+)+\b/) { match in
      let name = match.1.map(String.init) ?? String(match.0)
      return name.contains { "'「".contains($0) } ? name : fields.known(name) ?? String(match.0)
    }
    return fields.spelling(of: field) + why
  }

  /// The option or argument for a field, which may be within another: `channel.secret_file`.
  func spelling(of field: String) -> String {
    self.known(field) ?? Self.last(field).replacing("_", with: " ")
  }

  /// The same; nil if the command has none.
  private func known(_ field: String) -> String? {
    let last = Self.last(field)
    let name = last.replacing("_", with: "-")
    let candidates = Self.aliases[field, default: []] + ["--\(name)", "<\(name)>"] + Self.aliases[last, default: []]
    guard let spellings else { return Self.aliases[field]?.first ?? Self.aliases[last]?.first }
    return candidates.first(where: spellings.contains)
  }

  private static func last(_ field: String) -> String { field.split(separator: ".").last.map(String.init) ?? field }

  /// Other names, the likeliest first, by the whole name of a field or its last part.
  private static let aliases = [
    // When
    "called_at": ["--at"], "occurred_at": ["--at"], "happened_at": ["--at"], "written_at": ["--at"],
    "times": ["--at"], "time": ["<time>", "--at"], "happened_on": ["--on"], "initial_date": ["--on"],
    "in_days": ["--in"],
    "from_day": ["--from", "--during"], "to_day": ["--to", "--during"], "every_hours": ["--every"],
    "first_time": ["--first"], "duration_minutes": ["--duration"], "catch_up_minutes": ["--catch-up"],
    "keep_audio_hours": ["--keep-audio"], "missed_minutes": ["--missed"], "again_minutes": ["--again"],
    "least_minutes": ["--least"], "frequency": ["--unit"],
    // What and who
    "text": ["<text>"], "body": ["<text>"], "content": ["<text>", "--note"], "messages": ["--note"],
    "message": ["<text>", "<message>"], "value": ["<value>"], "lower": ["<value>"], "category": ["<category>"],
    "left": ["<left>"], "as_needed": ["--needed"], "most_per_day": ["--most"], "food_preferences": ["--food"],
    "how_met": ["--met"], "is_dead": ["--dead"], "tags": ["--tag", "<tags>"], "add": ["<tags>"], "remove": ["<tags>"],
    "labels": ["--label"], "attachments": ["--attach"], "participants": ["--with", "<person>"],
    "person_id": ["<person>", "--person"], "other_id": ["<other>"], "contact_id": ["<contact>"],
    "corrected_by": ["--by"], "channels": ["--channel", "--to", "<name>"], "ids": ["<ids>", "--id", "<targets>"],
    "id": ["<id>", "<targets>", "<item>"], "first_name": ["<first-name>"], "file": ["<file>"], "method": ["<method>"],
    // Channels, sources, keys
    "channel.mail.host": ["--mail"], "channel.line.to": ["--line"], "channel.line.address": ["--line-server"],
    "channel.ntfy.topic": ["--ntfy"], "channel.ntfy.address": ["--server"], "channel.webhook.address": ["--webhook"],
    "channel.command.program": ["--command"], "channel.command.arguments": ["--argument"],
    "secret": ["--secret-file"], "secret_file": ["--secret-file"], "token": ["--token-file"],
    "password": ["--password-file"],
    "vdir.path": ["--vdir"], "vcf.path": ["--vcf"], "carddav.url": ["--carddav"], "carddav.books": ["--book"],
    "sources": ["<name>"], "vcard_version": ["--vcard"], "public_key_z85": ["--public-key"],
    "fingerprint": ["<fingerprint>"], "services": ["--service"],
  ]
}
