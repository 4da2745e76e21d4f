/// Why a document cannot be read.
public enum XMLFault: Error, Sendable, Hashable {
  /// Not well-formed, or cut off. `reason` is the parser's own word, `line` counts from 1.
  case notWellFormed(reason: String, line: Int)
  /// A document type declaration: the way to entities, which WebDAV has no use for.
  case documentType
  /// A bound of ``XMLLimits`` was exceeded; which one, in words.
  case tooLarge(String)
  /// Well-formed, but of another kind. The name of its root, with its namespace before it.
  case unexpectedRoot(String)
  /// There is no memory for a parser.
  case outOfMemory
}

extension XMLFault: CustomStringConvertible {
  /// A clause for people: "it ends too early".
  public var description: String {
    switch self {
    case .notWellFormed(let reason, let line): "it is not well-formed XML (line \(line): \(reason))"
    case .documentType: "it has a document type declaration, which is refused"
    case .tooLarge(let what): "it exceeds the limit of \(what)"
    case .unexpectedRoot(let name): "it is a '\(name.split(separator: " ").last ?? "")' document, not a WebDAV answer"
    case .outOfMemory: "there was no memory to read it"
    }
  }
}
