internal import CCurl

/// One transfer of libcurl: its options, and then its figures. libcurl-easy(3).
@safe struct EasyHandle: ~Copyable {
  let handle: UnsafeMutableRawPointer
  /// The buffer of libcurl's error message; it has to outlive the handle.
  private let words: UnsafeMutablePointer<CChar>

  /// Initialises libcurl, once a process. curl_global_init(3) is thread-safe since 7.84.
  private static let setUp: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// Opens a handle.
  ///
  /// - Throws: `TransferError.failed` without memory.
  init() throws(TransferError) {
    guard Self.setUp == CURLE_OK else { throw TransferError.failed("libcurl could not start") }
    // No preconditions; the result is checked.
    guard let handle = unsafe curl_easy_init() else { throw TransferError.failed("libcurl is out of memory") }
    unsafe self.handle = unsafe handle
    // Freed in `deinit`, after the handle.
    unsafe words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    // The only owner of the handle, which the owner of the multi handle removed from it before.
    unsafe curl_easy_cleanup(handle)
    unsafe words.deallocate()
  }

  /// Sets the options of a daemon: no signals, no proxy from the environment, TLS 1.2 or later.
  func configure() throws(TransferError) {
    // The buffer is freed after the handle.
    try check(unsafe kith_easy_set_pointer(handle, CURLOPT_ERRORBUFFER, words), CURLOPT_ERRORBUFFER)
    try set(.noSignals, true)
    // Waiting for the resolver's thread would block the loop.
    try set(.leavesResolverBehind, true)
    try set(.proxy, "")
    try set(.tlsVersion, CURL_SSLVERSION_TLSv1_2)
  }

  /// Sets the transfer that receives the callbacks and the end of this handle.
  ///
  /// - Important: `running` has to outlive the handle, whose pointer to it is not counted.
  func report(to running: RunningTransfer) throws(TransferError) {
    // Read back on the loop only, while `running` owns this handle.
    let context = unsafe Unmanaged.passUnretained(running).toOpaque()
    try check(unsafe kith_easy_set_pointer(handle, CURLOPT_PRIVATE, context), CURLOPT_PRIVATE)
    try check(
      unsafe kith_easy_set_receivers(handle, receiveHead, receiveBody, context), CURLOPT_WRITEFUNCTION)
    try check(unsafe kith_easy_set_source(handle, giveBody, rewindBody, context), CURLOPT_READFUNCTION)
  }

  // MARK: - Figures

  /// A number about the transfer; 0 if unknown.
  func number(_ info: EasyInfo<Int>) -> Int {
    var value = 0
    // Libcurl writes one long; the handle is open.
    unsafe _ = kith_easy_get_long(handle, info.rawValue, &value)
    return value
  }

  /// A count or a time of the transfer; 0 if unknown.
  func number(_ info: EasyInfo<Int64>) -> Int64 {
    var value: curl_off_t = 0
    // Libcurl writes one number; the handle is open.
    unsafe _ = kith_easy_get_offset(handle, info.rawValue, &value)
    return Int64(value)
  }

  /// Libcurl's message about a failure.
  func detail(of code: CURLcode) -> String {
    // NUL-terminated by libcurl, as is the string it has for each code, which is never freed.
    let own = unsafe String(cString: words)
    return own.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : own
  }

  // MARK: - Options

  func set(_ option: EasyOption<Bool>, _ value: Bool) throws(TransferError) {
    // The handle is open.
    try check(unsafe kith_easy_set_long(handle, option.rawValue, value ? 1 : 0), option.rawValue)
  }

  func set(_ option: EasyOption<Int>, _ value: Int) throws(TransferError) {
    // The handle is open.
    try check(unsafe kith_easy_set_long(handle, option.rawValue, value), option.rawValue)
  }

  func set(_ option: EasyOption<Int64>, _ value: Int64) throws(TransferError) {
    // The handle is open.
    try check(unsafe kith_easy_set_offset(handle, option.rawValue, curl_off_t(value)), option.rawValue)
  }

  func set(_ option: EasyOption<String>, _ value: String) throws(TransferError) {
    // Libcurl copies the string within the call.
    try check(unsafe kith_easy_set_string(handle, option.rawValue, value), option.rawValue)
  }

  /// Removes libcurl's default.
  func clear(_ option: EasyOption<String>) throws(TransferError) {
    // A null string is none.
    try check(unsafe kith_easy_set_string(handle, option.rawValue, nil), option.rawValue)
  }

  /// Sets a list, which has to outlive the handle.
  func set(_ option: EasyOption<StringList>, _ value: borrowing StringList) throws(TransferError) {
    // The caller keeps the list.
    try check(unsafe kith_easy_set_list(handle, option.rawValue, value.head), option.rawValue)
  }

  private func check(_ code: CURLcode, _ option: CURLoption) throws(TransferError) {
    guard code != CURLE_OK else { return }
    // A static string of libcurl.
    let reason = unsafe String(cString: curl_easy_strerror(code))
    throw .failed("libcurl refuses option \(option.rawValue): \(reason)")
  }
}

/// A list of strings for libcurl. curl_slist_append(3).
@safe struct StringList: ~Copyable {
  private(set) var head: UnsafeMutablePointer<curl_slist>?

  init() { unsafe head = nil }

  deinit {
    // A null list is nothing to free.
    unsafe curl_slist_free_all(head)
  }

  /// Adds a copy of a string. - Throws: `TransferError.failed` without memory.
  mutating func append(_ text: String) throws(TransferError) {
    // Libcurl copies the string; on failure the list is unchanged.
    guard let longer = unsafe curl_slist_append(head, text) else {
      throw TransferError.failed("libcurl is out of memory")
    }
    unsafe head = unsafe longer
  }
}

// The callbacks of libcurl during `MultiHandle.add` and `act`: on the loop, and only for running handles. The context is the
// running transfer, which owns the handle and so outlives the call.

func receiveHead(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  // See above; the bytes are libcurl's and valid during the call.
  guard let context = unsafe context else { return 0 }
  let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  let running = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
  // Any other number than that of the bytes ends the transfer: CURLOPT_HEADERFUNCTION(3).
  return unsafe running.transfer.receive(head: line) ? line.count : -1
}

func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  // See above; the bytes are libcurl's and valid during the call.
  guard let context = unsafe context else { return 0 }
  let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  let running = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
  // Any other number than that of the bytes ends the transfer: CURLOPT_WRITEFUNCTION(3).
  return unsafe running.transfer.receive(body: chunk) ? chunk.count : -1
}

func giveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  // See above; libcurl offers so many bytes of its buffer.
  guard let context = unsafe context else { return Int(CURL_READFUNC_ABORT) }
  let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
  let running = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
  return unsafe running.transfer.give(into: room) ?? Int(CURL_READFUNC_ABORT)
}

func rewindBody(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
  // See above.
  guard let context = unsafe context, offset == 0 else { return CURL_SEEKFUNC_FAIL }
  let running = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
  return running.transfer.rewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}
