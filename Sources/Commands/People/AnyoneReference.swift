internal import ArgumentParser
internal import Bus
internal import KithMessages
internal import SwiftProtobuf

extension Acquaintance {
  /// The candidate that a name on the command line may mean.
  ///
  /// - Parameter id: The id to use: the person's or the contact's.
  func candidate(_ id: String) -> NameMatch.Candidate { .init(id: id, shown: self.shownName, names: self.names) }
}

extension Session {
  /// The people and contacts whom a name may mean: those with misspelt names only if there are no others.
  func whoIs(_ text: String) async throws(Failure) -> [Acquaintance] {
    var request = WhoRequest()
    request.text = text
    request.limit = 500
    return try await self.ask(request).likely
  }

  /// Those whom an id means, or a part of one: people, or if none has it, contacts, with the people whom they are linked to. Only the
  /// ids of people are set.
  func whoHas(id text: String) async throws(Failure) -> [Acquaintance] {
    let typed = IDText(text: text, kind: Contact.idKind)
    var contacts = [text]
    if !UUIDv7.isID(text) {
      let people = try await IDText(text: text, kind: Person.idKind).candidates(self) ?? []
      guard people.isEmpty, typed.isPiece else { return people.map(Acquaintance.init(personID:)) }
      contacts = try await typed.candidates(self) ?? []
    }
    var found: [Acquaintance] = []
    for id in contacts {
      guard let reply = try await self.contact(id) else { continue }
      var one = reply.personID.isEmpty ? Acquaintance() : Acquaintance(personID: reply.personID)
      one.contact = reply.contact
      found.append(one)
    }
    return found.isEmpty && UUIDv7.isID(text) ? [Acquaintance(personID: text)] : found
  }

  /// The contact with an id; nil if there is none.
  fileprivate func contact(_ id: String) async throws(Failure) -> GetContactReply? {
    do throws(Failure) {
      return try await self.ask(GetContactRequest.with { $0.id = id })
    } catch  where error.reason == "RECORD_UNKNOWN" {
      return nil
    }
  }
}

extension Acquaintance {
  fileprivate init(personID: String) {
    self.init()
    self.person.id = personID
  }
}

/// Somebody about whom something is recorded: a person, or a contact of the address book, of whom a person is made.
struct AnyoneReference: NameReference {
  static let help = ArgumentHelp(
    "The person: an id, or a name that only one has, also in the address book.", valueName: "person")
  static let example = "ann"
  typealias Target = Person
  static var defaultCompletionKind: CompletionKind { Completion.anyone }

  let text: String

  /// People come before contacts of whom nothing is recorded.
  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    try await session.whoIs(self.text).peopleFirst.map { $0.candidate($0.anyID) }
  }

  func identified(_ session: Session, isDeleted: Bool) async throws(Failure) -> [String] {
    try await session.whoHas(id: self.text).map(\.anyID)
  }

  func id(_ session: Session) async throws(Failure) -> String {
    let id = try await self.match(session, isExact: false, isDeleted: false)
    guard let contact = try await session.contact(id) else { return id }
    guard contact.personID.isEmpty else { return contact.personID }
    let person = try await session.ask(PersonOfContactRequest.with { $0.contactID = id })
    if !session.isJSON {
      await session.ids.learn(person, session)
      session.console.printError(
        session.language(
          "\(Printable.text(person.displayName)) of the address book is now one of your people. To undo: kith people delete",
          "アドレス帳の\(Printable.text(person.displayName))を人として登録しました。取り消すには: kith people delete")
          + " \(session.ids[person.id])"
      )
    }
    return person.id
  }
}

extension Acquaintance {
  /// The id of the person, or of the contact if there is none.
  fileprivate var anyID: String { self.hasPerson ? self.person.id : self.contact.id }
}
