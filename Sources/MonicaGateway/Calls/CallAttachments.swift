internal import Bus
internal import Foundation
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// The voice notes and pictures of a call. An upload is kept for a day; stored with a call it becomes permanent.
struct CallAttachments: Sendable {
  /// The largest attachment in bytes.
  private static let sizeLimit: UInt64 = 20 << 20
  /// The most bytes of new attachments in one request: they are held in memory while they are stored.
  private static let requestLimit = 64 << 20

  private let refs: [BlobRef]
  /// The new attachments.
  private let uploads: [Picture]

  /// Reads the uploads.
  ///
  /// - Parameters:
  ///   - refs: The attachments named in the request.
  ///   - call: The call that may have some of them already.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for an attachment that is too large or was not uploaded, and for too
  ///   many bytes at once.
  init(_ refs: [BlobRef], knownIn call: String = "", storage: StorageActor) async throws(Failure) {
    guard refs.count <= 10 else { throw .invalid(field: "attachments", "a call has at most 10 attachments.") }
    let known =
      refs.isEmpty || call.isEmpty
      ? [] : try await storage.read { view throws(Failure) in try view.records.get(Call.self, call)?.attachments ?? [] }
    var (checked, uploads) = ([BlobRef](), [Picture]())
    for ref in refs where !checked.contains(where: { $0.sha256 == ref.sha256 }) {
      if let ref = known.first(where: { $0.sha256 == ref.sha256 }) {
        checked.append(ref)
        continue
      }
      var upload = Picture()
      upload.ref = ref
      upload.data = try await Self.read(ref, storage)
      upload.ref.size = UInt64(upload.data.count)
      guard uploads.reduce(upload.data.count, { $0 + $1.data.count }) <= Self.requestLimit else {
        throw .invalid(
          field: "attachments", "has more than \(Self.requestLimit >> 20) MiB of new data. Add them one after another.")
      }
      checked.append(upload.ref)
      uploads.append(upload)
    }
    self.refs = checked
    self.uploads = uploads
  }

  /// Makes the uploads permanent.
  ///
  /// - Returns: The attachments for the call's record.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for an attachment of the call that another client has removed
  ///   meanwhile.
  func keep(in transaction: Transaction) throws(Failure) -> [BlobRef] {
    for upload in self.uploads { try transaction.photos.put(upload) }
    for ref in self.refs {
      guard try transaction.photos.contains(ref.sha256) else { throw Self.missing }
    }
    return self.refs
  }

  private static let missing = Failure.invalid(
    field: "attachments", "names a blob that does not exist. Upload it with System/BlobPut first.")

  private static func read(_ ref: BlobRef, _ storage: StorageActor) async throws(Failure) -> Data {
    var get = BlobGetRequest()
    get.sha256 = ref.sha256
    var data = Data()
    repeat {
      get.offset = UInt64(data.count)
      let (reply, bytes) = try await Self.piece(get, storage)
      guard reply.size <= Self.sizeLimit else {
        throw .invalid(
          field: "attachments", "has one of \(reply.size) bytes; the limit is \(Self.sizeLimit >> 20) MiB each.")
      }
      data.append(contentsOf: bytes)
      if UInt64(data.count) >= reply.size { return data }
    } while true
  }

  private static func piece(
    _ request: BlobGetRequest, _ storage: StorageActor
  ) async throws(Failure) -> (BlobGetReply, [UInt8]) {
    do throws(Failure) {
      return try await storage.readBlob(request, by: .recorder)
    } catch {
      guard error.code == .notFound else { throw error }
      throw Self.missing
    }
  }
}
