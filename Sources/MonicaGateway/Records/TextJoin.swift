/// Brings two changes of a text together where one of them only wrote on.
enum TextJoin {
  /// Joins both sides.
  ///
  /// - Returns: Nil when both changed what was there before.
  static func join(base: String, local: String, server: String) -> String? {
    // What only wrote on goes on from all that was there: a side that is shorter has taken something away.
    if local.hasPrefix(server), server.hasPrefix(base) { return local }
    if server.hasPrefix(local), local.hasPrefix(base) { return server }
    // An empty text was not written on but written: there is no saying which comes first.
    guard !base.isEmpty else { return nil }
    // Nobody knows whether what was written on still makes sense after what was taken away at its place.
    guard !base.hasPrefix(local), !base.hasPrefix(server) else { return nil }
    if local.hasPrefix(base) { return server + local.dropFirst(base.count) }
    if server.hasPrefix(base) { return local + server.dropFirst(base.count) }
    return nil
  }
}
