internal import ArgumentParser
internal import Bus
internal import KithMessages

struct PersonPhotoCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Write a person's photo to a file.",
    discussion: "Example: kith people photo ann -o ann.jpg")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  func run(_ session: Session) async throws {
    var request = GetPersonRequest()
    request.id = try await self.person.id(session)
    let person = try await session.ask(request).person
    guard person.hasPhoto else { throw Failure(.notFound, "PHOTO_MISSING", "\(person.displayName) has no photo.") }
    try await session.save(person.photo, to: self.output)
  }
}
