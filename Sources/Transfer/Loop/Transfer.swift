internal import CCurl

/// One exchange of a protocol that libcurl speaks. All calls come on the loop, between `configure` and `finish`.
protocol Transfer: AnyObject {
  associatedtype Reply: Sendable

  /// Sets the options of a new handle.
  func configure(_ easy: borrowing EasyHandle) throws(TransferError)

  /// Takes a line of the head, its end included. Returns false to end the transfer.
  func receive(head line: UnsafeRawBufferPointer) -> Bool

  /// Takes a piece of the body. Returns false to end the transfer.
  func receive(body chunk: UnsafeRawBufferPointer) -> Bool

  /// Puts the next bytes to be sent into `room`. Returns their number, 0 at the end, or nil to end the transfer.
  func give(into room: UnsafeMutableRawBufferPointer) -> Int?

  /// Starts again with the first byte to be sent. Returns false when that cannot be done.
  func rewind() -> Bool

  /// What came of it.
  ///
  /// - Parameters:
  ///   - code: How it went for libcurl.
  ///   - easy: For the figures.
  func finish(_ code: CURLcode, _ easy: borrowing EasyHandle) throws(TransferError) -> Reply
}

/// A transfer with its handle, from the call that starts it until it has ended.
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

/// How a transfer has ended: by itself, or from outside.
enum TransferEnd: Sendable {
  case finished(CURLcode)
  case ended(TransferError)
}
