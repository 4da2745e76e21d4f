import Foundation
import KithMessages
import Testing

/// What an `rpc` of `proto/` states, read from its text: another way to the facts than the generator's.
struct StatedMethod: Hashable {
  let name: String
  let role: String
  let isMutating: Bool
  let isLongRunning: Bool
  let isPlaceable: Bool
}

@Suite struct MethodTableTests {
  private func stated() throws -> Set<StatedMethod> {
    let folder = projectRoot.appending(path: "proto/kith/v1")
    var methods: Set<StatedMethod> = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for service in text.matches(of: /(?s)\nservice (\w+) \{(.*?)\n\}/) {
        for rpc in service.output.2.matches(of: /(?s)rpc (\w+)\([^)]*\) returns \([^)]*\) \{(.*?)\};\s*\}/) {
          let rules = rpc.output.2
          let role = try #require(rules.firstMatch(of: /role: (\w+)/)).output.1
          methods.insert(
            StatedMethod(
              name: "kith.v1.\(service.output.1)/\(rpc.output.1)", role: role.lowercased(),
              isMutating: rules.contains("mutating: true"), isLongRunning: rules.contains("long_running: true"),
              isPlaceable: rules.contains("placeable: true")))
        }
      }
    }
    return methods
  }

  @Test func tableSaysWhatProtoSays() throws {
    let stated = try self.stated()
    #expect(stated.count > 20)
    let generated = Methods.all.map {
      StatedMethod(
        name: $0.name, role: $0.role.rawValue, isMutating: $0.isMutating, isLongRunning: $0.isLongRunning,
        isPlaceable: $0.isPlaceable)
    }
    #expect(Set(generated) == stated)
  }

  @Test func namesAreUnique() {
    #expect(Set(Methods.all.map(\.name)).count == Methods.all.count)
  }

  @Test func everyMethodHasATimeout() {
    for method in Methods.all { #expect(method.timeoutMilliseconds > 0, "\(method.name)") }
  }

  @Test func methodsOnTheWireAreForPeopleOrForWorkersButNotBoth() {
    for method in Methods.all { #expect(method.isPlaceable == (method.role == .worker), "\(method.name)") }
  }

  @Test func onlyMutatingMethodsAreLongRunning() {
    for method in Methods.all where method.isLongRunning { #expect(method.isMutating, "\(method.name)") }
  }

  @Test(arguments: Methods.all)
  func requestTypeNamesItsMethod(method: Method) throws {
    let type = try #require(commandTypes[method.name])
    #expect(type.method.name == method.name)
  }

  private let commandTypes: [String: any Command.Type] = Dictionary(
    uniqueKeysWithValues: messageTypes.values.compactMap { $0 as? any Command.Type }.map { ($0.method.name, $0) })
}

@Suite struct RoleTests {
  /// Rows: who asks. Columns: what the method asks for.
  private static let table: [Role: [Role: Bool]] = [
    .viewer: [.viewer: true, .recorder: false, .admin: false, .worker: false, .door: false],
    .recorder: [.viewer: true, .recorder: true, .admin: false, .worker: false, .door: false],
    .admin: [.viewer: true, .recorder: true, .admin: true, .worker: false, .door: true],
    .worker: [.viewer: false, .recorder: false, .admin: false, .worker: true, .door: false],
    .door: [.viewer: false, .recorder: false, .admin: false, .worker: false, .door: true],
  ]

  @Test(arguments: Role.allCases, Role.allCases)
  func coversTheTable(role: Role, required: Role) throws {
    let row = try #require(Self.table[role])
    #expect(role.covers(required) == row[required])
  }

  @Test("an open method is for every role but a worker's; another one for the roles that include its own")
  func openMethods() {
    #expect(Role.allCases.filter { $0.mayCall(Methods.systemPing) } == [.viewer, .recorder, .admin, .door])
    #expect(Role.allCases.filter { $0.mayCall(Methods.systemStatus) } == [.viewer, .recorder, .admin])
    #expect(Role.allCases.filter { $0.mayCall(Methods.devicesPair) } == [.admin, .door])
  }
}
