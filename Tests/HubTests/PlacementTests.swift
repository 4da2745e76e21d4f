import BusZeroMQ
import KithMessages
import Testing

@testable import Hub

struct PlacementTests {
  @Test("the work plane can read what belongs to each method that may run on a worker")
  func codecs() {
    let placeable = Methods.all.filter(\.isPlaceable)
    #expect(!placeable.isEmpty && Set(Placement.codecs.map(\.method)) == Set(placeable))
    #expect(Placement.codecs.count == placeable.count)
    let services = Set(placeable.map { String($0.name.prefix { $0 != "/" }) })
    #expect(Set(PlaceableService.allCases.map(\.name)) == services)
  }
}
