/// Brings two changes of a text together where one of them only wrote on.
enum TextJoin {
  /// Joins both sides.
  ///
  /// - Returns: Nil when both changed what was there before.
  static func join(base: String, local: String, server: String) -> String? {
    if local.hasPrefix(server) { return local }
    if server.hasPrefix(local) { return server }
    // An empty text was not written on but written: there is no saying which comes first.
    guard !base.isEmpty else { return nil }
    if local.hasPrefix(base) { return server + local.dropFirst(base.count) }
    if server.hasPrefix(base) { return local + server.dropFirst(base.count) }
    return nil
  }
}
