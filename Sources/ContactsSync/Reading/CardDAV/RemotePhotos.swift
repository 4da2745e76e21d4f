internal import Bus
internal import KithMessages
internal import Transfer
internal import VCard

/// Fetches the pictures that cards name instead of holding, from the server of their address book and from no other.
///
/// A card is somebody else's text: what it names elsewhere would tell a stranger when the household reads its contacts, or make
/// kithd ask a machine of the home.
struct RemotePhotos: Sendable {
  let connection: AccountConnections.Connection
  /// The address book.
  let book: WebURL

  /// Bytes of a picture, as of those within cards.
  private static let limit = 12 << 20

  /// Adds the picture to a card that was read; when it cannot be had, the reason.
  ///
  /// - Throws: `CANCELLED`.
  func fetch(for read: inout CardRead) async throws(Failure) {
    guard let url = try? self.book.resolving(read.contact.photoUri), url.origin == self.book.origin else { return }
    var request = HTTPRequest("GET", url, credentials: self.connection.credentials)
    request.limits.bodyBytes = Self.limit
    request.limits.total = .seconds(60)
    // A redirect could lead anywhere.
    request.limits.redirects = 0
    do throws(TransferError) {
      let response = try await self.connection.http.send(request)
      if response.status == 200, let mediaType = ImageSignature.mediaType(of: response.body) {
        let picture = ContactMapping.picture(response.body, mediaType: mediaType)
        read.contact.photo = picture.ref
        read.pictures.append(picture)
        return
      }
    } catch {
      if error == .cancelled { throw .cancelled }
    }
    read.problems.append(CardProblem.problem("photo_unreachable", href: read.href, skipped: false))
  }
}
