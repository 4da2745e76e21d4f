internal import CCurl

// What libcurl calls during `MultiHandle.add` and `act`: on the loop, and only for handles that run. The context is the
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
