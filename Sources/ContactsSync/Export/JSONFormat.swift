internal import Bus
internal import KithMessages
internal import Storage

/// A `ListContactsReply` in proto3 JSON, one contact a line.
struct JSONFormat: ContactFormat {
  let mediaType = "application/json"
  let head = Array("{\"contacts\":[\n".utf8)
  let tail = Array("\n]}\n".utf8)

  func bytes(of contact: Contact, isFirst: Bool, in view: ReadView) throws(Failure) -> [UInt8] {
    Array((isFirst ? "" : ",\n").utf8) + (try Encoding.json.encode(contact))
  }
}
