internal import SwiftProtobuf

/// An entry of `/logs`, newest first: `{"action":"contact_created","objects":{"contact_id":NUMBER},"audited_at":TIME}`.
///
/// Monica records there that a person was created, whatever its lists show. (Api/Account/ApiAuditLogController and
/// CreateContact of Monica 4; a job writes the entry, so it may appear a little later.)
struct CreationLog: Decodable, Sendable {
  /// The created person; nil for an entry about something else.
  private let person: UInt64?
  private let at: Google_Protobuf_Timestamp?

  /// The number of pages to read: the person was created a short time ago.
  private static let pages = 3

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.at = fields.time("audited_at")
    let subject = fields.text("action") == "contact_created" ? try fields.object(Subject.self, "objects") : nil
    self.person = subject?.person
  }

  /// The people created since a time of the server's clock, in seconds since 1970, the newest first. Empty if the
  /// server keeps no log.
  static func people(since: Int64, _ client: MonicaClient) async throws(MonicaError) -> [UInt64] {
    var people: [UInt64] = []
    var reader = ListReader(client, ListRoute(path: "logs"), .lastMade)
    for number in 1...Self.pages {
      let page: ListPage<Self>
      do throws(MonicaError) {
        page = try await reader.page(number)
      } catch {
        guard case .notMonica(.unknownPath) = error.fault else { throw error }
        return people
      }
      let new = page.values.filter { ($0.at?.seconds ?? .max) >= since }
      people += new.compactMap(\.person)
      guard number < page.lastPage, new.count == page.values.count else { break }
    }
    return people
  }

  private struct Subject: Decodable {
    let person: UInt64?

    init(from decoder: any Swift.Decoder) throws {
      self.person = try Fields(decoder).number("contact_id").flatMap { UInt64(exactly: $0) }
    }
  }
}
