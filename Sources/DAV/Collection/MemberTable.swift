/// Collects what the responses of a listing say about the members of a collection. The last response for a member
/// counts.
struct MemberTable: Sendable {
  let collection: Href
  let form: CardForm
  private var order: [Href] = []
  /// The fingerprint of each member; nil if it is gone.
  private var members: [Href: String?] = [:]

  init(collection: Href, form: CardForm) {
    self.collection = collection
    self.form = form
  }

  /// How many members have been named.
  var count: Int { self.order.count }

  var cards: [ListedCard] {
    self.order.compactMap { href in
      self.members[href].flatMap { $0 }.map { ListedCard(href: href, fingerprint: $0) }
    }
  }

  var gone: [Href] { self.order.filter { self.members[$0] == .some(nil) } }

  /// Adds a response that is not about the collection itself. Resources elsewhere and resources that are not cards are
  /// ignored; a card with a failure status exists, and is read by itself.
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

  /// True unless a resource is plainly not a card: servers give cards many content types, and some none.
  private static func mayBeCard(_ contentType: String?, _ href: Href) -> Bool {
    if href.path.utf8.suffix(4).elementsEqual(".vcf".utf8) { return true }
    guard let type = contentType?.prefix(while: { $0 != ";" }).lowercased(), !type.isEmpty else { return true }
    return href.path.lowercased().hasSuffix(".vcf")
      || ["vcard", "directory", "octet-stream", "text/plain"].contains { type.contains($0) }
  }
}
