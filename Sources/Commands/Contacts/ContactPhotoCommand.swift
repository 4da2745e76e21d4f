internal import ArgumentParser
internal import Bus
internal import KithMessages

struct ContactPhotoCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Write a contact's photo to a file, as it is in the card.",
    discussion: "Example: kith contacts photo 0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10 -o ann.jpg")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The contact's id, as lists show it.")
  var id: String

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  func run(_ session: Session) async throws {
    var request = GetContactRequest()
    request.id = self.id
    let contact = try await session.ask(request).contact
    guard contact.hasPhoto else {
      let elsewhere = contact.photoUri.isEmpty ? "" : " The card names one at \(contact.photoUri)."
      throw Failure(.notFound, "PHOTO_MISSING", "\(contact.shownName) has no photo.\(elsewhere)")
    }
    try await session.save(contact.photo, to: self.output)
  }
}
