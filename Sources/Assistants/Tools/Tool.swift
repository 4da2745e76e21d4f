internal import Bus
internal import KithMessages

/// What an assistant may do: a name, what it takes and what it tells, and the code behind it.
struct Tool: Sendable {
  /// All tools, in the order in which they are listed.
  static let all = Self.care + Self.plan + Self.people + Self.calls + Self.reminders + Self.state

  let name: String
  let title: String
  let description: String
  let inputs: [ToolInput]
  let output: Shape
  let run: @Sendable (ToolCall) async throws(Failure) -> JSON

  /// The methods that it calls, by `proto/`.
  var methods: [Method] { ToolTable.methods[self.name] ?? [] }

  /// The role that all of its methods need together.
  var role: Role { self.methods.allSatisfy { Role.viewer.covers($0.role) } ? .viewer : .recorder }

  /// Whether it changes something.
  var isWriting: Bool { self.methods.contains(where: \.isMutating) }

  /// Its description in `tools/list`.
  var json: JSON {
    let required = self.inputs.filter(\.isRequired).map(\.name)
    return .make([
      "name": .text(self.name), "title": .text(self.title), "description": .text(self.description),
      "inputSchema": .make([
        "type": "object", "properties": .object(self.inputs.map { .init(name: $0.name, value: $0.schema) }),
        "required": required.isEmpty ? nil : .texts(required), "additionalProperties": false,
      ]),
      "outputSchema": self.output.schema,
      // Nothing is lost by a tool: what was there before stays. What one writes may be told elsewhere: a reminder by its channels, a call
      // to a Monica server.
      "annotations": .make([
        "readOnlyHint": .flag(!self.isWriting), "destructiveHint": self.isWriting ? false : nil,
        "openWorldHint": .flag(self.isWriting),
      ]),
    ])
  }
}

/// What a tool takes.
struct ToolInput: Sendable {
  let name: String
  let schema: JSON
  let isRequired: Bool

  /// A field of a message, as `proto/` describes it.
  ///
  /// - Parameters:
  ///   - path: `Message.field`.
  ///   - words: What it is, where the comment in `proto/` is for programmers.
  static func field(_ name: String, _ path: String, _ words: String? = nil, isRequired: Bool = false) -> ToolInput {
    var members = (FieldSchema.of(path).members ?? []).filter { $0.name != "description" || words == nil }
    if let words { members.insert(.init(name: "description", value: .text(words)), at: 0) }
    return ToolInput(name: name, schema: .object(members), isRequired: isRequired)
  }

  /// A text that is no field of a message.
  static func text(_ name: String, _ words: String, longest: Int = 255, isRequired: Bool = false) -> ToolInput {
    let schema = JSON.make(["description": .text(words), "type": "string", "maxLength": .number(longest)])
    return ToolInput(name: name, schema: schema, isRequired: isRequired)
  }

  /// Something that is so, or not.
  static func flag(_ name: String, _ words: String) -> ToolInput {
    ToolInput(name: name, schema: .make(["description": .text(words), "type": "boolean"]), isRequired: false)
  }

  /// A moment.
  static func moment(_ name: String, _ words: String) -> ToolInput {
    .text(
      name,
      "\(words) RFC 3339, such as 2026-11-25T08:10:00+09:00, or without a zone in the household's: 2026-11-25T08:10.",
      longest: 40)
  }

  /// By what a repeated call is known.
  static let requestKey = Self.text(
    "request_key", "A text of your own for this one thing, the same when you repeat the call: it is then done once.",
    longest: 64)

  /// A day.
  static let day = Self.text(
    "day", "YYYY-MM-DD, today or yesterday, as the household's calendar has it.", longest: 10)

  /// For whom the assistant records.
  static let recorder = Self.text("recorder", "Who says it; absent = the assistant itself.", longest: 60)

  /// The start of the next page.
  static let cursor = Self.text("cursor", "next_cursor of the page before.", longest: 512)

  static let person = Self.text(
    "person", "The id that people_find gives, or a name that only one person has.", isRequired: true)
}

/// The schemas of fields.
enum FieldSchema {
  /// The schema that `proto/` gives a field.
  static func of(_ path: String) -> JSON {
    guard let text = ToolTable.schemas[path], let json = try? JSON(bytes: Array(text.utf8)) else { return .object([]) }
    return json
  }
}
