public import Bus
public import KithMessages

/// A contact as it is written into the tables and found by search.
///
/// Making one takes about as long as writing it, and needs no transaction. Whoever writes many makes them before theirs,
/// because all other writes wait for a transaction.
public struct PreparedContact: Sendable {
  /// As it was given.
  public let contact: Contact
  let fields: [EngineValue]
  let lists: ContactLists
  let search: SearchText

  /// Prepares a contact.
  ///
  /// - Throws: `FIELD_INVALID` for a photo whose digest is none.
  public init(_ contact: Contact) throws(Failure) {
    try self.init(contact, lists: ContactLists(of: contact), search: SearchText(of: contact))
  }

  private init(_ contact: Contact, lists: ContactLists, search: SearchText) throws(Failure) {
    self.contact = contact
    self.fields = try ContactRow.arguments(of: contact, sortKey: search.sortKey)
    self.lists = lists
    self.search = search
  }

  /// The same contact with a picture: what takes long to make of it stays.
  ///
  /// - Throws: `FIELD_INVALID` for a digest that is none.
  public func showing(_ photo: BlobRef) throws(Failure) -> PreparedContact {
    var contact = self.contact
    contact.photo = photo
    return try PreparedContact(contact, lists: self.lists, search: self.search)
  }
}
