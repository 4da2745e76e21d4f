public import Bus
internal import BusZeroMQ
internal import Digest
public import KithMessages

extension Port {
  /// Downloads a blob, several pieces at a time, in order.
  ///
  /// ```swift
  /// var bytes: [UInt8] = []
  /// try await client.download(photo.blob) { bytes += $0 }
  /// ```
  ///
  /// - Parameters:
  ///   - blob: The blob as named in a reply.
  ///   - window: The number of pieces that are requested at a time.
  ///   - write: Receives each piece. The next pieces are requested while it runs.
  /// - Throws: `FAILED_PRECONDITION/BLOB_MISSING`; `DATA_LOSS/DIGEST_MISMATCH` if the pieces do not match the blob's digest;
  ///   what `write` throws.
  public func download(
    _ blob: BlobRef, window: Int = 4, write: (_ piece: [UInt8]) throws(Failure) -> Void
  ) async throws(Failure) {
    let piece = UInt64(WireLimits.attachment)
    let offsets = Array(stride(from: 0, to: blob.size, by: Int(piece)))
    var next = 0
    var waiting: [Task<Result<[UInt8], Failure>, Never>] = []
    defer { for task in waiting { task.cancel() } }
    var digest = SHA256()
    while next < offsets.count || !waiting.isEmpty {
      guard !Task.isCancelled else { throw .cancelled }
      while next < offsets.count, waiting.count < window {
        let offset = offsets[next]
        waiting.append(Task { await self.piece(of: blob, at: offset) })
        next += 1
      }
      let bytes = try await waiting.removeFirst().value.get()
      digest.update(bytes)
      try write(bytes)
    }
    guard Hex.encode(digest.finish()) == blob.sha256 else {
      throw Failure(.dataLoss, "DIGEST_MISMATCH", "The received bytes do not match their SHA-256. Try again.")
    }
  }

  /// Uploads a blob, up to eight pieces at a time, and resumes an earlier upload.
  ///
  /// - Parameters:
  ///   - blob: The digest and size of the blob.
  ///   - read: Returns exactly `count` bytes at an offset.
  /// - Throws: `DATA_LOSS/DIGEST_MISMATCH`, `RESOURCE_EXHAUSTED/BLOB_QUOTA`, and what `read` throws.
  public func upload(
    _ blob: BlobRef, read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
  ) async throws(Failure) {
    var open = BlobOpenRequest()
    open.blob = blob
    let opened = try await self.ask(open)
    guard !opened.complete else { return }
    do throws(Failure) {
      try await self.send(blob, from: opened, read: read)
    } catch {
      if error.code == .cancelled { await self.abandon(blob) }
      throw error
    }
  }

  /// Abandons the upload of a cancelled caller. If this fails, the upload stays until another one replaces it.
  private func abandon(_ blob: BlobRef) async {
    var request = BlobAbandonRequest()
    request.sha256 = blob.sha256
    // In a new task, because this one is cancelled.
    _ = await Task { [request] in try? await self.ask(request, CallContext(timeout: .seconds(1))) }.value
  }

  private func send(
    _ blob: BlobRef, from opened: BlobOpenReply,
    read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
  ) async throws(Failure) {
    let piece = opened.chunk == 0 ? WireLimits.attachment : min(Int(opened.chunk), WireLimits.attachment)
    let window = opened.window == 0 ? 1 : max(1, min(8, Int(opened.window) / piece))
    var offset = opened.nextOffset
    var waiting: [(offset: UInt64, count: Int, reply: Task<Result<BlobPutReply, Failure>, Never>)] = []
    defer { for put in waiting { put.reply.cancel() } }
    while offset < blob.size || !waiting.isEmpty {
      guard !Task.isCancelled else { throw .cancelled }
      while offset < blob.size, waiting.count < window {
        let (at, count) = (offset, Int(min(UInt64(piece), blob.size - offset)))
        let bytes = try read(at, count)
        waiting.append((at, count, Task { await self.put(bytes, of: blob, at: at) }))
        offset += UInt64(count)
      }
      let first = waiting.removeFirst()
      do throws(Failure) {
        _ = try await first.reply.value.get()
      } catch {
        // It overtook the previous piece, which is stored by now.
        guard error.reason == "OFFSET_GAP" else { throw error }
        _ = try await self.put(try read(first.offset, first.count), of: blob, at: first.offset).get()
      }
    }
    _ = try await self.put([], of: blob, at: blob.size).get()
  }

  private func piece(of blob: BlobRef, at offset: UInt64) async -> Result<[UInt8], Failure> {
    var request = BlobGetRequest()
    request.sha256 = blob.sha256
    request.offset = offset
    do throws(Failure) {
      let answer = try await self.call(request, CallContext())
      guard let bytes = answer.attachments.first else {
        throw Failure(.dataLoss, "DIGEST_MISMATCH", "A piece of the blob came without its bytes. Ask for it again.")
      }
      return .success(bytes)
    } catch {
      return .failure(error)
    }
  }

  private func put(_ bytes: [UInt8], of blob: BlobRef, at offset: UInt64) async -> Result<BlobPutReply, Failure> {
    var request = BlobPutRequest()
    request.sha256 = blob.sha256
    request.offset = offset
    do throws(Failure) {
      return .success(try await self.ask(request, CallContext(attachments: bytes.isEmpty ? [] : [bytes])))
    } catch {
      return .failure(error)
    }
  }
}
