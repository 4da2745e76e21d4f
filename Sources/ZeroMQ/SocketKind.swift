internal import CZeroMQ

/// The messaging pattern of a socket. zmq_socket(3).
public enum SocketKind: Sendable, Hashable, CaseIterable {
  case request, reply, dealer, router
  case publish, subscribe, extendedPublish, extendedSubscribe
  case push, pull, pair

  var rawValue: Int32 {
    switch self {
    case .request: ZMQ_REQ
    case .reply: ZMQ_REP
    case .dealer: ZMQ_DEALER
    case .router: ZMQ_ROUTER
    case .publish: ZMQ_PUB
    case .subscribe: ZMQ_SUB
    case .extendedPublish: ZMQ_XPUB
    case .extendedSubscribe: ZMQ_XSUB
    case .push: ZMQ_PUSH
    case .pull: ZMQ_PULL
    case .pair: ZMQ_PAIR
    }
  }
}
