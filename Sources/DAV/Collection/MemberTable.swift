/// Gathers what the responses of a listing say of the members of a collection. The last word on each counts.
struct MemberTable: Sendable {
  let collection: Href
  let form: CardForm
  private var order: [Href] = []
  /// The fingerprint of each member; nil for one that is gone.
  private var members: [Href: String?] = [:]

  init(collection: Href, form: CardForm) {
    self.collection = collection
    self.form = form
  }

  /// How many members something was said of.
  var count: Int { self.order.count }

  var cards: [ListedCard] {
    self.order.compactMap { href in
      self.members[href].flatMap { $0 }.map { ListedCard(href: href, fingerprint: $0) }
    }
  }

  var gone: [Href] { self.order.filter { self.members[$0] == .some(nil) } }

  /// Takes a response that is not about the collection itself. What lies elsewhere or is no card is left out; a card that has a
  /// status of failure is there, and is read on its own.
  mutating func add(_ response: DAVResponse) {
    guard let href = Href(response.href, in: self.collection), href.isChild(of: self.collection) else { return }
    if response.isGone { return self.set(href, nil) }
    if let status = response.status, !(200..<300 ~= status) { return self.set(href, "") }
    let properties = response.properties
    if properties.resourceType?.contains(.collection) == true { return }
    guard Self.mayBeCard(properties.contentType, href) else { return }
    self.set(href, self.form.fingerprint(entityTag: properties.entityTag))
  }

  private mutating func set(_ href: Href, _ fingerprint: String?) {
    if self.members.updateValue(fingerprint, forKey: href) == nil { self.order.append(href) }
  }

  /// Servers give cards many types, and some none: only what is plainly something else is left out.
  private static func mayBeCard(_ contentType: String?, _ href: Href) -> Bool {
    if href.path.utf8.suffix(4).elementsEqual(".vcf".utf8) { return true }
    guard let type = contentType?.prefix(while: { $0 != ";" }).lowercased(), !type.isEmpty else { return true }
    return href.path.lowercased().hasSuffix(".vcf")
      || ["vcard", "directory", "octet-stream", "text/plain"].contains { type.contains($0) }
  }
}
