internal import EventLoop
internal import KithMessages
internal import Transfer

/// A notification on the desktop of whoever runs the daemon: galago-project.org/specs/notification, "Desktop Notifications
/// Specification". It goes over the bus of the session and by no program, whose arguments everybody on the machine could read.
struct DesktopDelivery {
  let request: DeliverRequest
  var addresses = BusAddress.ofSession

  private static let notify = BusMessage.Call(
    destination: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
    interface: "org.freedesktop.Notifications", member: "Notify")

  func run() async throws(DeliveryFault) -> DeliverReply {
    let stop: EventDescriptor
    do throws(LoopError) {
      stop = try EventDescriptor()
    } catch {
      throw .trouble("no descriptor is left", retryAfter: nil)
    }
    let (body, addresses) = (self.body, self.addresses)
    let deadline = ContinuousClock.now + .seconds(10)
    do throws(SessionBus.Fault) {
      try await ThreadExecutor.run(name: "kith.desktop", stop: stop) { () throws(SessionBus.Fault) in
        try SessionBus(addresses: addresses, deadline: deadline, stop: stop.descriptor)
          .call(Self.notify, signature: "susssasa{sv}i", body: body)
      }
    } catch {
      switch error {
      case .cancelled: throw .transfer(.cancelled)
      case .noAnswer: throw .unclear("The desktop did not say whether it shows the notification.")
      case .refused("org.freedesktop.DBus.Error.NoReply"):
        throw .unclear("The desktop did not say whether it shows the notification.")
      case .busy: throw .trouble("the bus of the session has no room just now", retryAfter: nil)
      case .noBus, .refused:
        throw .unavailable("No desktop shows notifications: there is no session, or it has no notification daemon.")
      }
    }
    return DeliverReply()
  }

  /// What `Notify` takes: application, what it replaces, icon, summary, text, actions, hints, and for how long it is shown.
  private var body: BusWriter {
    let notice = self.request.notice
    var body = BusWriter()
    body.string("kith")
    body.number(0)
    body.string("")
    body.string(notice.subject)
    body.string(notice.texts.joined(separator: "\n").escapedForMarkup)
    body.number(0)
    var hints = BusWriter()
    hints.string("urgency")
    hints.signature("y")
    // Critical: it stays until somebody has seen it.
    hints.byte(2)
    body.number(UInt32(hints.bytes.count))
    body.align(8)
    body.append(hints)
    // As the desktop thinks right.
    body.number(UInt32(bitPattern: -1))
    return body
  }
}

extension String {
  /// A body may have some marks of HTML, so none of ours may look like one: Desktop Notifications Specification, "Markup".
  fileprivate var escapedForMarkup: String {
    self.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
