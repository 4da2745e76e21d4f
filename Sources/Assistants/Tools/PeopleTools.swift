internal import Bus
internal import KithMessages

extension Tool {
  private static let reach = Shape("LabeledValue", ["label", "value"])

  private static let contact = Shape(
    "Contact", ["id", "formatted_name", "nickname", "organization", "title", "birthday", "note"],
    [
      .each("phones", Self.reach), .each("emails", Self.reach),
      .each("addresses", Shape("Address", ["label", "street", "city", "region", "postal_code", "country"])),
      .each("related", Self.reach),
    ])

  private static let person = Shape(
    "Person",
    [
      "id", "display_name", "nickname", "gender", "description", "birthday", "is_dead", "deceased_on", "job", "company",
      "food_preferences", "how_met", "tags", "last_interaction_at", "last_called_at",
    ])

  private static let found = Shape(
    "Acquaintance", ["name", "birthday", "found_by"],
    [
      .one("person", Shape("Person", ["id", "last_interaction_at", "last_called_at"])),
      .one(
        "contact",
        Shape("Contact", ["id", "organization"], [.each("phones", Self.reach), .each("emails", Self.reach)])),
    ])

  /// People and the address book, which are one here.
  static let people: [Tool] = [
    Tool(
      name: "people_find", title: "Find people",
      description:
        "Finds people and contacts of the address book by a part of a name, in any script and also misspelt, by "
        + "company, number or email address. The best match comes first.",
      inputs: [.text("text", "What is known of them.", isRequired: true)],
      output: Shape("WhoReply", ["more"], [ToolCall.notice, .each("hits", Self.found)])
    ) { call throws(Failure) in
      var request = WhoRequest()
      request.text = call.arguments.text("text")
      return try await call.list { limit throws(Failure) in
        request.limit = min(limit, 20)
        return try await call.ask(request)
      }
    },
    Tool(
      name: "person_show", title: "One person",
      description:
        "Everything about one person, from both books: how to reach them, birthday, notes, tasks, gifts, calls, "
        + "relations, and their card in the address book. Of notes, activities and calls these are the newest 20; calls_list has all "
        + "calls, and the command kith has the others.",
      inputs: [.person, .cursor],
      output: Shape(
        "PersonDetails", [],
        [ToolCall.notice] + ToolCall.rest + [
          .one("person", Self.person),
          .each("fields", Shape("ContactField", ["type", "data", "labels"])),
          .each("addresses", Shape("PersonAddress", ["name", "street", "city", "province", "postal_code", "country"])),
          .each("relationships", Shape("Relationship", ["type", "other_name", "other_id"])),
          .each("reminders", Shape("PersonReminder", ["id", "title", "next_on", "frequency"])),
          .each("tasks", Shape("TaskItem", ["id", "title", "description", "is_completed"])),
          .each("gifts", Shape("Gift", ["id", "name", "status", "comment", "date"])),
          .each("notes", Shape("Note", ["id", "body", "is_favorite", "created_at"])),
          .each("activities", Shape("Activity", ["id", "summary", "happened_on", "participant_names"])),
          .each("calls", Self.call), .one("contact", Self.contact),
        ])
    ) { call throws(Failure) in
      var details = try await call.personToShow()
      // The card came with the first part.
      if call.arguments.has("cursor") { details.clearContact() }
      return try call.parts(
        of: details, most: 10, \.fields, \.addresses, \.relationships, \.reminders, \.tasks, \.gifts, \.notes,
        \.activities, \.calls)
    },
  ]
}
