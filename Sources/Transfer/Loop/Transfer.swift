internal import CCurl

/// One exchange of a protocol of libcurl. All calls are made on the loop, from `configure` to `finish`.
protocol Transfer: AnyObject {
  associatedtype Reply: Sendable

  /// Sets the options of a new handle.
  func configure(_ easy: borrowing EasyHandle) throws(TransferError)

  /// Receives a line of the head with its line end. Returns false to end the transfer.
  func receive(head line: UnsafeRawBufferPointer) -> Bool

  /// Receives a piece of the body. Returns false to end the transfer.
  func receive(body chunk: UnsafeRawBufferPointer) -> Bool

  /// Copies the next bytes to send to `room`. Returns their number, 0 at the end, or nil to end the transfer.
  func give(into room: UnsafeMutableRawBufferPointer) -> Int?

  /// Starts again with the first byte to send. Returns false if that is impossible.
  func rewind() -> Bool

  /// Returns the reply, or throws the failure.
  ///
  /// - Parameters:
  ///   - code: Libcurl's result.
  ///   - easy: The handle, for its figures.
  func finish(_ code: CURLcode, _ easy: borrowing EasyHandle) throws(TransferError) -> Reply
}

/// A running transfer with its handle.
final class RunningTransfer {
  let id: Int
  let easy: EasyHandle
  let transfer: any Transfer
  var waiter: CheckedContinuation<TransferEnd, Never>?

  init(id: Int, _ transfer: any Transfer) throws(TransferError) {
    self.id = id
    self.transfer = transfer
    easy = try EasyHandle()
    try easy.configure()
    try easy.report(to: self)
    try transfer.configure(easy)
  }
}

/// The end of a transfer: it finished, or was ended from outside.
enum TransferEnd: Sendable {
  case finished(CURLcode)
  case ended(TransferError)
}
