internal import Bus
internal import EventLoop
internal import KithMessages
internal import Transfer

/// A notification on the desktop of whoever runs the daemon, by notify-send(1), which fails where there is none.
struct DesktopDelivery {
  let request: DeliverRequest
  let program: String

  func run() async throws(DeliveryFault) -> DeliverReply {
    var environment = ChildProcess.plainEnvironment
    for variable in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"] {
      environment[variable] = RuntimeLocations.variable(variable)
    }
    let notice = self.request.notice
    let run = ChildProcess(
      self.program,
      ["-a", "kith", "-u", "critical", "--", notice.subject, notice.texts.joined(separator: "\n").escapedForMarkup],
      environment: environment, directory: "/", limits: ChildProcess.Limits(time: .seconds(10)))
    let ending: ChildProcess.Ending
    do throws(ChildProcess.Fault) {
      ending = try await run.run().ending
    } catch .cancelled {
      throw .transfer(.cancelled)
    } catch {
      throw .unavailable("\(self.program) cannot be run. Install libnotify-bin to see notifications on the desktop.")
    }
    guard ending == .exited(0) else {
      throw .unavailable("There is no desktop that shows notifications: no session, or nobody serves it.")
    }
    return DeliverReply()
  }
}

extension String {
  /// A body may have some marks of HTML, so none of ours may look like one: Desktop Notifications Specification, "Markup".
  fileprivate var escapedForMarkup: String {
    self.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
