import Bus
import KithMessages
import Testing

@testable import Commands

/// A field that kithd refuses is named as the person typed it.
@Suite("Fields are named as they are typed") struct TypedFieldTests {
  /// A command line, the field that kithd refuses, and the name of it that is printed.
  private static let lines = """
    channels add x --ntfy http://foo --no-secret | channel.ntfy.topic | --ntfy
    channels add x --ntfy t --server ftp://x --no-secret | channel.ntfy.address | --server
    channels add x --webhook ftp://x --no-secret | channel.webhook.address | --webhook
    channels add x --line 1 --no-secret | channel.line.to | --line
    channels add x --mail h --to y --no-secret | channel.mail.to | --to
    channels add X --line 1 --no-secret | channel.name | <name>
    channels add x --command /bin/true --unchecked | channel.command.program | --command
    call log ANN --note x | note | --note
    call log ANN --tag two | tags | --tag
    call log ANN --at now | called_at | --at
    call template save n | name | <name>
    gift add ANN book --amount x | amount | --amount
    gift add ANN book | name | <name>
    people field add ANN phone '' | data | <data>
    people field edit f-1 --data '' | data | --data
    people address add ANN --country zzz | country | --country
    people address add ANN --latitude 500 | latitude | --latitude
    people address add ANN --street x | street | --street
    people edit ANN --last-name x | last_name | --last-name
    people remind add ANN x | title | <title>
    people remind add ANN x | frequency | --unit
    talk log ANN --channel '' | channel | --channel
    talk message edit t m x | message | <text>
    task add ANN x | title | <title>
    activity add ANN x | summary | <summary>
    care record meal x | memo | <memo>
    care edit e-1 --memo x | memo | --memo
    remind call ANN | in_days | --in
    plan add x --needed | times | --at
    plan add x --needed --kind y | kind | --kind
    channels test x | time_zone | time zone
    """.split(separator: "\n").map(String.init)

  @Test("A field is an option or an argument of the command, else it is named in words", arguments: Self.lines)
  func names(line: String) async throws {
    let parts = line.split(separator: " | ").map(String.init)
    let arguments = parts[0].split(separator: " ").map { word in
      word == "ANN" ? Household.annID : word == "''" ? "" : String(word)
    }
    let run = try await CommandRun.of(arguments + ["--lang", "en"]) { command throws(Failure) in
      // Names of people are looked up first.
      if let person = Household.people(command) { return person }
      throw Failure.invalid(field: parts[1], "is wrong.")
    }
    #expect(run.errors == "kith: \(parts[2]): is wrong.\n")
  }

  @Test(
    "Other fields that a sentence names are options too",
    arguments: [
      (
        "remind call ANN", "in_days", "give a number of days, or the day as `on`.",
        "--in: give a number of days, or the day as --on."
      ),
      (
        "plan add x --needed", "times", "say when: give `times`, `every_hours` or `as_needed`.",
        "--at: say when: give --at, --every or --needed."
      ),
      (
        "people edit ANN --deceased-on 2020-01-01", "deceased_on",
        "is only for a person who has died. Set is_dead too.",
        "--deceased-on: is only for a person who has died. Set --dead too."
      ),
      (
        "care record x y", "category", "must be one of medication, medical_visit, free_memo.",
        "<category>: must be one of medication, medical visit, free memo."
      ),
      ("task add ANN x", "title", "is not 'a_b' or `x`.", "<title>: is not 'a_b' or `x`."),
      (
        "people edit ANN --gender last_name", "gender", "the server does not know 'last_name'. It knows: man, woman.",
        "--gender: the server does not know 'last_name'. It knows: man, woman."
      ),
      (
        "people edit ANN --gender x", "gender", "'it's last_name' is not the hub's. Set last_name too.",
        "--gender: 'it's last_name' is not the hub's. Set --last-name too."
      ),
    ] as [(String, String, String, String)])
  func sentences(line: String, field: String, english: String, typed: String) async throws {
    let arguments = line.split(separator: " ").map { $0 == "ANN" ? Household.annID : String($0) }
    let run = try await CommandRun.of(arguments + ["--lang", "en"]) { command throws(Failure) in
      if let person = Household.people(command) { return person }
      throw Failure.invalid(field: field, english)
    }
    #expect(run.errors == "kith: \(typed)\n")
  }
}
