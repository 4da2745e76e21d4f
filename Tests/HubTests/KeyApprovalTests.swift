import Bus
import KithMessages
import SwiftProtobuf
import TestKit
import Testing
import ZeroMQ

@testable import Hub

struct KeyApprovalTests {
  private static let key = String(repeating: "0", count: 40)

  private func request(_ change: (inout KeyApproveRequest) -> Void) -> KeyApproveRequest {
    var request = KeyApproveRequest()
    request.fingerprint = "0123456789ABCDEF"
    request.name = "kitchen"
    change(&request)
    return request
  }

  @Test("a key without more said is a viewer, without end")
  func plain() throws {
    var known = KeyInfo()
    known.fingerprint = "0123456789abcdef"
    known.state = "pending"
    let key = try KeyApproval(self.request { _ in }).applied(to: known, now: 5)
    #expect(key.role == "viewer" && key.state == "approved" && key.name == "kitchen" && !key.hasExpires)
  }

  @Test("what a worker may take is named, and is something that there is")
  func services() throws {
    let approval = try KeyApproval(
      self.request {
        $0.role = "worker"
        $0.services = ["transcriber", "contacts", "kith.v1.Transcriber"]
      })
    #expect(approval.services == ["kith.v1.ContactsSource", "kith.v1.Transcriber"])
  }

  /// A field with an invalid text.
  @Test(
    "what cannot be meant is refused, with the field that is wrong",
    arguments: [
      ("name", ""), ("name", "Kitchen"), ("name", "a b"), ("name", String(repeating: "a", count: 33)), ("role", "king"),
      ("fingerprint", "12"), ("fingerprint", "0123456789abcdeg"), ("public_key_z85", "short"),
    ])
  func invalid(field: String, text: String) throws {
    let failure = #expect(throws: Failure.self) {
      try KeyApproval(
        self.request {
          switch field {
          case "name": $0.name = text
          case "role": $0.role = text
          case "fingerprint": $0.fingerprint = text
          default: $0.publicKeyZ85 = text
          }
        })
    }
    #expect(failure?.code == .invalidArgument)
    #expect(failure.map { Array($0.status.details.keys) } == [field])
  }

  @Test("the fingerprint beside a key has to be its own")
  func mismatch() throws {
    #expect(throws: Failure.self) { try KeyApproval(self.request { $0.publicKeyZ85 = Self.key }) }
  }

  @Test(
    "services belong to workers, and are some that there are",
    arguments: [
      ("viewer", ["Transcriber"]), ("worker", []), ("worker", ["Care"]), ("worker", [""]), ("worker", ["t"]),
      ("worker", ["kith.v1.Monica"]),
    ])
  func invalidServices(role: String, services: [String]) throws {
    let failure = #expect(throws: Failure.self) {
      try KeyApproval(
        self.request {
          $0.role = role
          $0.services = services
        })
    }
    #expect(failure.map { Array($0.status.details.keys) } == ["services"])
  }

  @Test("a span is at least a second and has an end", arguments: [0, -5, Int64.max])
  func invalidSpan(seconds: Int64) throws {
    #expect(throws: Failure.self) {
      try KeyApproval(self.request { $0.validFor = Google_Protobuf_Duration(seconds: seconds) })
    }
  }

  @Test("a revoked key stays revoked, and one that was never here has to be named whole")
  func states() throws {
    var revoked = KeyInfo()
    revoked.state = "revoked"
    let approval = try KeyApproval(self.request { _ in })
    #expect(throws: Failure.self) { try approval.applied(to: revoked, now: 0) }
    #expect(throws: Failure.self) { try approval.applied(to: nil, now: 0) }
    let whole = try KeyApproval(
      self.request {
        $0.fingerprint = ""
        $0.publicKeyZ85 = Self.key
        $0.validFor = Google_Protobuf_Duration(seconds: 60)
      })
    let key = try whole.applied(to: nil, now: 2_000_000_000)
    #expect(key.publicKeyZ85 == Self.key && key.fingerprint.count == 16 && key.expires.seconds == 62)
  }
}
