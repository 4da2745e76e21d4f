internal import CCurl

/// A list of strings as libcurl takes it. curl_slist_append(3).
@safe struct StringList: ~Copyable {
  private(set) var head: UnsafeMutablePointer<curl_slist>?

  init() { unsafe head = nil }

  deinit {
    // A null list is nothing to free.
    unsafe curl_slist_free_all(head)
  }

  /// Adds a copy of a string. - Throws: `TransferError.failed` without memory.
  mutating func append(_ text: String) throws(TransferError) {
    // Libcurl copies the string, and leaves the list as it is when it cannot.
    guard let longer = unsafe curl_slist_append(head, text) else {
      throw TransferError.failed("libcurl is out of memory")
    }
    unsafe head = unsafe longer
  }
}
