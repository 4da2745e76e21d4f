/// The path of a list, and what the server supports for it.
struct ListRoute: Sendable {
  var path: String
  /// The query of each page.
  var arguments: [(name: String, value: String)] = []
  /// Whether the server respects `sort`; otherwise it uses its own order.
  var isSortable = false
  /// Whether the list is paged; a few lists are not.
  var isPaged = true
}

/// One page of a list.
struct ListPage<Value: Decodable & Sendable>: Decodable, Sendable {
  let values: [Value]
  let lastPage: Int
  /// The number of records in the whole list, by the server's count.
  let total: Int

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    guard let values = try fields.list(Value.self, "data") else { throw fields.missing("data") }
    guard let meta = try fields.object(Meta.self, "meta") else { throw fields.missing("meta") }
    self.values = values
    self.lastPage = meta.lastPage
    self.total = meta.total
  }

  fileprivate init(whole values: [Value]) {
    self.values = values
    self.lastPage = 1
    self.total = values.count
  }

  private struct Meta: Decodable {
    let lastPage: Int
    let total: Int

    init(from decoder: any Swift.Decoder) throws {
      let fields = try Fields(decoder)
      guard let lastPage = fields.number("last_page"), lastPage >= 0 else { throw fields.missing("last_page") }
      guard let total = fields.number("total"), total >= 0 else { throw fields.missing("total") }
      self.lastPage = Int(lastPage)
      self.total = Int(total)
    }
  }
}

/// Reads the pages of one list, as large as the server allows.
struct ListReader: Sendable {
  /// The order to request from servers that support it.
  enum Order: String, Sendable {
    case asMade = "created_at"
    case lastMade = "-created_at"
    case lastChanged = "-updated_at"
  }

  private let client: MonicaClient
  private let route: ListRoute
  private let order: Order
  /// Page sizes, tried in this order: a server that allows fewer refuses with code 30.
  private var sizes = [100, 50, 15, 5]

  init(_ client: MonicaClient, _ route: ListRoute, _ order: Order) {
    self.client = client
    self.route = route
    self.order = order
  }

  /// Reads a page; pages count from 1.
  mutating func page<Value: Decodable & Sendable>(
    _ number: Int, of type: Value.Type = Value.self
  ) async throws(MonicaError) -> ListPage<Value> {
    guard self.route.isPaged else {
      let all = try await self.client.get(
        UnpagedList<Value>.self, MonicaClient.Target(self.route.path, self.route.arguments))
      return ListPage(whole: all.values)
    }
    while true {
      var arguments = self.route.arguments
      if self.route.isSortable { arguments.append(("sort", self.order.rawValue)) }
      arguments += [("limit", String(self.sizes[0])), ("page", String(number))]
      do throws(MonicaError) {
        return try await self.client.get(
          ListPage<Value>.self, MonicaClient.Target(self.route.path, arguments))
      } catch {
        guard case .refused(_, let reply) = error.fault, reply.code == ErrorReply.pageTooLarge, self.sizes.count > 1
        else { throw error }
        self.sizes.removeFirst()
      }
    }
  }

  /// Reads a whole list that is always short, such as a list of types.
  static func all<Value: Decodable & Sendable>(
    _ client: MonicaClient, _ route: ListRoute, of type: Value.Type = Value.self
  ) async throws(MonicaError) -> [Value] {
    var reader = ListReader(client, route, .asMade)
    var values: [Value] = []
    var number = 1
    while true {
      let page = try await reader.page(number, of: type)
      values += page.values
      guard number < page.lastPage, !page.values.isEmpty else { return values }
      number += 1
    }
  }
}

/// A list that is not paged.
private struct UnpagedList<Value: Decodable>: Decodable {
  let values: [Value]

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    guard let values = try fields.list(Value.self, "data") else { throw fields.missing("data") }
    self.values = values
  }
}
