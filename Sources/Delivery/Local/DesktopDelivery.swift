internal import Bus
internal import CSystemd
internal import EventLoop
internal import KithMessages
internal import Transfer

/// A notification on the desktop of the user that runs the daemon: galago-project.org/specs/notification, "Desktop Notifications
/// Specification". It goes over the bus of the session and by no program, whose arguments every user of the machine could read.
struct DesktopDelivery {
  let request: DeliverRequest
  /// Where the bus of the session listens, separated by semicolons: D-Bus Specification, "Server Addresses".
  var addresses = DesktopDelivery.addressesOfSession

  private static let limit = Duration.seconds(10)

  func run() async throws(DeliveryFault) -> DeliverReply {
    guard !self.addresses.isEmpty else { throw Self.noDesktop }
    let stop: EventDescriptor
    do throws(LoopError) {
      stop = try EventDescriptor()
    } catch {
      throw .trouble("no descriptor is left", retryAfter: nil)
    }
    let (end, error) = await ThreadExecutor.run(name: "kith.desktop", stop: stop) { self.notify(stop.descriptor) }
    switch end {
    case kith_notify_shown: return DeliverReply()
    case kith_notify_cancelled: throw .transfer(.cancelled)
    case kith_notify_busy: throw .trouble("the bus of the session is too busy to take a notification", retryAfter: nil)
    case kith_notify_no_library:
      throw .unavailable(
        "kithd cannot reach the desktop: libsystemd.so.0 is missing. Install libsystemd0 and restart kithd.")
    case kith_notify_unclear: throw Self.noAnswer
    case kith_notify_refused where error == "org.freedesktop.DBus.Error.NoReply": throw Self.noAnswer
    default: throw Self.noDesktop
    }
  }

  private static let noAnswer = DeliveryFault.unclear("The desktop did not say whether it shows the notification.")
  private static let noDesktop = DeliveryFault.unavailable(
    "No desktop shows notifications: there is no session, or it has no notification daemon.")

  /// Sends it and waits; blocks.
  private func notify(_ stop: Int32) -> (end: kith_notify_end, error: String) {
    let notice = self.request.notice
    let (summary, text) = (notice.subject.plain, notice.texts.joined(separator: "\n").escapedForMarkup.plain)
    var name = [CChar](repeating: 0, count: Int(kith_bus_error_size))
    // The strings outlive the call, which writes within the array and keeps nothing.
    let end = unsafe self.addresses.withCString { addresses in
      unsafe summary.withCString { summary in
        unsafe text.withCString { text in
          var notification = unsafe kith_notification(
            addresses: addresses, summary: summary, text: text, timeout: UInt64(Self.limit / .microseconds(1)),
            stop: stop)
          return unsafe kith_notify(&notification, &name)
        }
      }
    }
    return (end, String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
  }

  /// The sockets of the session of the user that runs this process, in the order in which they are tried; empty = there is none. Others
  /// that D-Bus has, such as tcp, are left out: what a notification says stays on this machine.
  private static var addressesOfSession: String {
    let runtime = RuntimeLocations.variable("XDG_RUNTIME_DIR") ?? ""
    let own = runtime.isEmpty ? "" : "unix:path=\(runtime.escapedForAddress)/bus"
    let named = RuntimeLocations.variable("DBUS_SESSION_BUS_ADDRESS") ?? ""
    return named.isEmpty ? own : Self.sockets(named, runtime: own)
  }

  /// The sockets of this machine in a list of addresses. One that sd-bus would not understand is left out, because sd-bus then refuses the
  /// whole list.
  ///
  /// - Parameter runtime: The address that `unix:runtime=yes` means; empty = none.
  static func sockets(_ list: String, runtime: String) -> String {
    list.split(separator: ";").compactMap { address in
      guard address.hasPrefix("unix:") else { return nil }
      let keys = address.dropFirst("unix:".count).split(separator: ",")
      if let place = keys.first(where: { $0.hasPrefix("path=/") || $0.hasPrefix("abstract=") }) {
        return "unix:\(place)"
      }
      return keys.contains("runtime=yes") && !runtime.isEmpty ? runtime : nil
    }.joined(separator: ";")
  }
}

extension String {
  /// Without U+0000, which ends a string of C, and without noncharacters, which sd-bus refuses.
  fileprivate var plain: String {
    String(
      String.UnicodeScalarView(self.unicodeScalars.filter { $0.value != 0 && !$0.properties.isNoncharacterCodePoint }))
  }

  /// A body may have some marks of HTML, so none of ours may look like one: Desktop Notifications Specification, "Markup".
  fileprivate var escapedForMarkup: String {
    self.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// As the value of an address: D-Bus Specification, "Server Addresses".
  fileprivate var escapedForAddress: String {
    self.utf8.map { byte in
      let isPlain =
        UInt8(ascii: "-")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "\\")
        || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
