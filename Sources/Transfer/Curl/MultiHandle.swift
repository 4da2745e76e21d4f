internal import CCurl
internal import EventLoop

/// Transfers that share connections, driven by the readiness of their sockets. libcurl-multi(3), "MULTI_SOCKET".
@safe struct MultiHandle: ~Copyable {
  private let handle: UnsafeMutableRawPointer
  /// Libcurl's reference to it is not counted; freed after the handle.
  private let watcher: Watcher

  /// Tells the loop what to watch.
  final class Watcher {
    weak var loop: TransferLoop?

    init(_ loop: TransferLoop) { self.loop = loop }
  }

  /// Opens a handle.
  ///
  /// - Parameter loop: Receives the sockets to watch and the next timeout, during `add`, `act` and `remove`.
  /// - Throws: `TransferError.failed` without memory.
  init(for loop: TransferLoop) throws(TransferError) {
    // No preconditions; the result is checked.
    guard let handle = unsafe curl_multi_init() else { throw TransferError.failed("libcurl is out of memory") }
    unsafe self.handle = unsafe handle
    watcher = Watcher(loop)
  }

  /// Sets the callbacks for sockets and timeouts.
  ///
  /// - Parameter connections: The most connections to one host; further transfers wait.
  /// - Throws: `TransferError.failed` if libcurl refuses them.
  func configure(connectionsPerHost connections: Int) throws(TransferError) {
    // `watcher` lives as long as the handle.
    let context = unsafe Unmanaged.passUnretained(watcher).toOpaque()
    guard unsafe kith_multi_set_watcher(handle, watchSocket, watchTime, context) == CURLM_OK,
      unsafe kith_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, connections) == CURLM_OK
    else { throw TransferError.failed("libcurl refuses to be driven by an event loop") }
  }

  deinit {
    // Every easy handle was removed before; this closes the idle connections.
    unsafe curl_multi_cleanup(handle)
  }

  /// Starts a transfer. - Throws: `TransferError.failed` when libcurl cannot.
  func add(_ easy: borrowing EasyHandle) throws(TransferError) {
    // Both handles are open.
    let code = unsafe curl_multi_add_handle(handle, easy.handle)
    // A static string of libcurl.
    guard code == CURLM_OK else { throw TransferError.failed(unsafe String(cString: curl_multi_strerror(code))) }
  }

  /// Ends a transfer, finished or not.
  func remove(_ easy: borrowing EasyHandle) {
    // Both handles are open; the call fails only for handles that are not.
    unsafe _ = curl_multi_remove_handle(handle, easy.handle)
  }

  /// Tells libcurl what is ready on a socket.
  func act(on socket: Int32, _ ready: Readiness) {
    var events: Int32 = 0
    if ready.contains(.readable) { events |= CURL_CSELECT_IN }
    if ready.contains(.writable) { events |= CURL_CSELECT_OUT }
    if ready.contains(.failed) { events |= CURL_CSELECT_ERR }
    var running: Int32 = 0
    // `nextFinished` has the result of each transfer; the call itself fails only for a closed handle.
    unsafe _ = curl_multi_socket_action(handle, socket, events, &running)
  }

  /// Tells libcurl that its timeout has passed.
  func actOnTime() {
    act(on: KITH_CURL_SOCKET_TIMEOUT, [])
  }

  /// The next finished transfer, which has to be removed, and its result.
  func nextFinished() -> (RunningTransfer, CURLcode)? {
    var code = CURLE_OK
    var context: UnsafeMutableRawPointer?
    // The private pointer of each handle is its running transfer, which is in the table of its loop until it is removed.
    guard let easy = unsafe kith_multi_next_finished(handle, &code),
      unsafe kith_easy_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK, let context = unsafe context
    else { return nil }
    return (unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue(), code)
  }
}

/// CURLMOPT_SOCKETFUNCTION(3).
private func watchSocket(
  _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
  _ own: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context = unsafe context else { return -1 }
  // The multi handle that calls keeps the watcher.
  let watcher = unsafe Unmanaged<MultiHandle.Watcher>.fromOpaque(context).takeUnretainedValue()
  let interest: Readiness? =
    switch what {
    case CURL_POLL_IN: .readable
    case CURL_POLL_OUT: .writable
    case CURL_POLL_INOUT: [.readable, .writable]
    case CURL_POLL_REMOVE: nil
    default: []
    }
  watcher.loop?.assumeIsolated { $0.watch(socket, for: interest) }
  return 0
}

/// CURLMOPT_TIMERFUNCTION(3).
private func watchTime(
  _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context = unsafe context else { return -1 }
  // The multi handle that calls keeps the watcher.
  let watcher = unsafe Unmanaged<MultiHandle.Watcher>.fromOpaque(context).takeUnretainedValue()
  watcher.loop?.assumeIsolated { $0.comeBack(in: milliseconds < 0 ? nil : .milliseconds(milliseconds)) }
  return 0
}
