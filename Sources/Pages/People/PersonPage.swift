public import Bus
internal import KithMessages

/// One person, with everything that belongs to them.
public struct PersonPage: Page {
  private let id: String

  /// Makes the page.
  public init(id: String) { self.id = id }

  /// Asks for the person.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    var get = GetPersonRequest()
    get.id = self.id
    let details = try await hub.ask(get)
    let person = details.person
    let photo: HTML = person.hasPhoto ? "<img class=\"photo\" alt=\"\" src=\"/blobs/\(person.photo.sha256)\">" : ""
    let tags = HTML(person.tags.map { "<a href=\"/people?tag=\(AddressText.encoded($0))\">\($0)</a> " })
    let about = [person.nickname, person.job, person.company, person.description_p, person.birthday].filter {
      !$0.isEmpty
    }
    let parts = PersonParts(view: view, person: person)
    return Shown(
      person.name, in: .people, follows: ["people", "calls", "conversations"],
      """
      <section class="card" data-test="person">\(photo)<p>\(about.joined(separator: " · "))</p><p class="links">\(tags)</p>\
      \(parts.ways(details))\(parts.calling(details))</section>\
      \(parts.addresses(details.addresses))\(parts.calls(details.calls))\(parts.notes(details.notes))\(parts.tasks(details.tasks))\
      \(parts.activities(details.activities))\(parts.gifts(details.gifts))\(parts.relationships(details.relationships))\
      \(parts.conversations(details.conversations))\(parts.reminders(details.reminders))
      """)
  }
}
