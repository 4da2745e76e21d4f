internal import Bus
internal import KithMessages
internal import Transfer
internal import VCard

/// Fetches the photos that cards link to, from the server of their address book and from no other.
///
/// A card is untrusted: a link to another server would tell that server when the household reads its contacts, or make
/// kithd send requests to machines at home.
struct RemotePhotos: Sendable {
  let connection: AccountConnections.Connection
  /// The address book.
  let book: WebURL

  /// The largest photo in bytes, the same as for photos within cards.
  private static let limit = 12 << 20
  /// The number of failures in a row after which no more photos are requested: each may take a minute.
  private static let patience = 3

  private var failuresInRow = 0

  init(connection: AccountConnections.Connection, book: WebURL) {
    self.connection = connection
    self.book = book
  }

  /// Adds the linked photo to a card. If it cannot be fetched, the card has the reason; if a retry may succeed, the
  /// card has no fingerprint, so that the next pass reads it again.
  ///
  /// - Returns: True if the server has answered, or is not asked for this photo.
  /// - Throws: `CANCELLED`.
  mutating func fetch(for read: inout CardRead) async throws(Failure) -> Bool {
    guard let url = try? self.book.resolving(read.contact.photoUri), url.origin == self.book.origin else { return true }
    switch self.failuresInRow < Self.patience ? try await self.picture(at: url) : .later {
    case .picture(let picture):
      self.failuresInRow = 0
      read.add(picture)
      return true
    case .none:
      self.failuresInRow = 0
      read.problems.append(CardProblem.problem("photo_unreachable", href: read.href, skipped: false))
      return true
    case .later:
      self.failuresInRow += 1
      read.fingerprint = ""
      read.problems.append(CardProblem.problem("photo_later", href: read.href, skipped: false))
      return false
    }
  }

  private enum Answer {
    case picture(Picture)
    /// The server has no such photo, or none of a known kind.
    case none
    /// The server gave no answer.
    case later
  }

  private func picture(at url: WebURL) async throws(Failure) -> Answer {
    var request = HTTPRequest("GET", url, credentials: self.connection.credentials)
    request.allowsPlainHTTP = self.connection.allowsPlainHTTP
    request.limits.bodyBytes = Self.limit
    request.limits.total = .seconds(60)
    // A redirect could lead anywhere.
    request.limits.redirects = 0
    do throws(TransferError) {
      let response = try await self.connection.http.send(request)
      switch response.status {
      case 200:
        guard let mediaType = ImageSignature.mediaType(of: response.body) else { return .none }
        return .picture(ContactMapping.picture(response.body, mediaType: mediaType))
      case 408, 425, 429, 500...: return .later
      default: return .none
      }
    } catch {
      switch error {
      case .cancelled: throw .cancelled
      case .tooLarge, .compressionBomb, .tooManyRedirects, .refusedRedirect, .invalidRequest, .insecure: return .none
      default: return .later
      }
    }
  }
}
