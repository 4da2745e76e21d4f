/// What a ZAP handler decides about a peer. ZeroMQ RFC 27.
public enum ZAPReply: Hashable, Sendable {
  /// Let in (200). `userID` is attached to each of its messages, where `MultipartMessage.userID` reads it.
  case accept(userID: String)
  /// Not now (300): libzmq holds the peer until its handshake time is over, and the peer tries again by itself.
  case later
  /// No (400): libzmq cuts the connection, and the peer does not try again on that socket.
  case refuse
  /// The request could not be read (500).
  case malformed

  var status: String {
    switch self {
    case .accept: "200"
    case .later: "300"
    case .refuse: "400"
    case .malformed: "500"
    }
  }

  var text: String {
    switch self {
    case .accept: "OK"
    case .later: "Not yet accepted"
    case .refuse: "Refused"
    case .malformed: "Malformed request"
    }
  }

  var userID: String {
    if case .accept(let userID) = self { userID } else { "" }
  }
}
