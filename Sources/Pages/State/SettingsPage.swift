public import Bus
public import KithMessages
internal import QR

/// The settings: who is cared for, the Monica server, channels, devices and the backup. Most are changed by admins alone.
public struct SettingsPage: Page {
  /// Makes the page.
  public init() {}

  /// Asks for the settings that the device may see.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let isAdmin = view.role.covers(.admin)
    let care = try await hub.ask(CareSettingsRequest())
    let monica = try await hub.ask(MonicaStatusRequest())
    let channels = view.role.covers(Methods.channelsList.role) ? try await hub.ask(ListChannelsRequest()).channels : []
    let devices = isAdmin ? try await hub.ask(DevicesListRequest()).devices : []
    return Shown(
      view[.settings], in: .more, follows: ["system", "care", "people"],
      """
      \(self.care(care, isAdmin, view))\(self.monica(monica, isAdmin, view))\(self.channels(channels, isAdmin, view))\
      \(isAdmin ? self.devices(devices, view) : "")\(isAdmin ? self.backup(view) : "")
      """)
  }

  private func section(_ title: Text, _ view: PageView, _ body: HTML) -> HTML {
    "<section class=\"card\"><h2>\(view[title])</h2>\(body)</section>"
  }

  private func care(_ care: CareSettings, _ isAdmin: Bool, _ view: PageView) -> HTML {
    guard isAdmin else { return self.section(.care, view, "<p>\(care.recipient)\(care.honorific)</p>") }
    var form = Form(Methods.careConfigure, next: "/settings", view)
    for field in ["recipient", "honorific", "language", "time_zone"] { form = form.with("fields[]", field) }
    return self.section(
      .care, view,
      form.html(
        """
        \(view.input(.recipient, "settings.recipient", care.recipient))\(view.input(.honorific, "settings.honorific", care.honorific))
        \(view.select(.language, "settings.language", care.language, PageLanguage.allCases.map { ($0.rawValue, $0.ownName) }))
        \(view.input(.timeZone, "settings.timeZone", care.timeZone))<button>\(view[.save])</button>
        """))
  }

  private func monica(_ status: MonicaStatus, _ isAdmin: Bool, _ view: PageView) -> HTML {
    let hasExpired = status.state == AccountState.expired.rawValue
    let mark: HTML = hasExpired ? " <strong class=\"mark\">\(view[.expired])</strong>" : ""
    let state: HTML =
      status.endpoint.isEmpty
      ? "<p>\(view[.noServer])</p>"
      : """
      <p>\(status.endpoint) · \(status.userName) · \(status.token)\(mark)</p>
      """
    // Only an admin can change that there is none.
    guard isAdmin else { return status.endpoint.isEmpty ? "" : self.section(.server, view, state) }
    let change: HTML =
      status.state == AccountState.loggedIn.rawValue
      ? """
      <p class="actions">\(Form(Methods.monicaClearCache, next: "/settings", view).direct().button(view[.clearCache]))\
      \(Form(Methods.monicaLogout, next: "/settings", view).direct().button(view[.logOut]))</p>
      """
      : Form(Methods.monicaLogin, next: "/settings", view).direct().html(
        """
        \(view.input(.address, "endpoint", status.endpoint, type: "url"))\
        \(view.input(.token, "token", type: "password", " required autocomplete=\"off\""))<button>\(view[.logIn])</button>
        """)
    let others = HTML(
      status.instances.dropFirst().map { endpoint in
        Form(Methods.monicaSwitchInstance, next: "/settings", view).direct().with("endpoint", endpoint)
          .button(view[.switchTo, ["address": endpoint]])
      })
    return self.section(.server, view, "\(state)\(change)<p class=\"actions\">\(others)</p>")
  }

  private func channels(_ channels: [Channel], _ isAdmin: Bool, _ view: PageView) -> HTML {
    let items = HTML(
      channels.map { channel in
        let test: HTML =
          isAdmin
          ? Form(Methods.channelsTest, next: "/settings", view).direct().with("name", channel.name).button(view[.test])
          : ""
        return "<li>\(channel.name) <span class=\"actions\">\(test)</span></li>"
      })
    return self.section(
      .channels, view, channels.isEmpty ? "<p class=\"empty\">\(view[.none])</p>" : "<ul>\(items)</ul>")
  }

  private func devices(_ devices: [Device], _ view: PageView) -> HTML {
    let items = HTML(
      devices.filter { $0.state == "active" }.map { device in
        let seen: HTML = device.hasLastSeen ? " · \(view.dayAndTime(of: device.lastSeen))" : ""
        let revoke: HTML =
          device.name == view.device
          ? ""
          : Form(Methods.devicesRevoke, next: "/settings", view).direct().with("name", device.name).button(
            view[.revoke])
        return
          "<li data-test=\"device\">\(device.name) · \(device.role)\(seen) <span class=\"actions\">\(revoke)</span></li>"
      })
    let roles = [Role.recorder, .viewer, .admin].map { ($0.rawValue, view[$0.name]) }
    let invite = Form(Methods.devicesInvite, next: "/settings", view).direct().html(
      """
      \(view.input(.deviceName, "name", type: "text", " required maxlength=\"32\" pattern=\"[a-z0-9-]+\""))\
      \(view.select(.mayDo, "role", Role.recorder.rawValue, roles))<button data-test="invite">\(view[.invite])</button>
      """)
    return self.section(.devices, view, "<ul>\(items)</ul>\(invite)")
  }

  private func backup(_ view: PageView) -> HTML {
    self.section(.backup, view, Form(Methods.systemBackup, next: "/settings", view).direct().button(view[.backUpNow]))
  }
}

extension Text {
  static let settings = Text("Settings", "設定")
  fileprivate static let care = Text("Care", "ケア")
  fileprivate static let recipient = Text("Who is cared for", "ケアを受ける人")
  fileprivate static let honorific = Text("Honorific", "敬称")
  fileprivate static let language = Text("Language of summaries and speech", "まとめと音声の言語")
  fileprivate static let timeZone = Text("Time zone", "タイムゾーン")
  fileprivate static let server = Text("Monica server", "Monicaサーバー")
  fileprivate static let noServer = Text("There is none. Everything stays in this house.", "使っていません。すべてこの家に保存されます。")
  fileprivate static let address = Text("Address", "アドレス")
  fileprivate static let token = Text("API token", "APIトークン")
  fileprivate static let logIn = Text("Log in", "ログイン")
  fileprivate static let logOut = Text("Log out", "ログアウト")
  fileprivate static let switchTo = Text("Use {address}", "{address}を使う")
  fileprivate static let expired = Text("The session has expired. Log in again.", "期限が切れました。もう一度ログインしてください。")
  fileprivate static let clearCache = Text("Clear what was read", "読み込んだデータを消去")
  fileprivate static let channels = Text("Channels", "送り先")
  fileprivate static let test = Text("Send a test", "テスト送信")
  fileprivate static let devices = Text("Devices", "端末")
  fileprivate static let deviceName = Text("Name of a new device (a-z, 0-9, -)", "新しい端末の名前（a-z、0-9、-）")
  fileprivate static let mayDo = Text("It may", "できること")
  fileprivate static let invite = Text("Invite it", "招待する")
  fileprivate static let revoke = Text("Revoke", "登録を解除")
  fileprivate static let backup = Text("Backup", "バックアップ")
  fileprivate static let backUpNow = Text("Back up now", "今すぐバックアップ")
}

/// The page with the code by which a device joins: what the form that invites a device answers. Whoever sees the code may join, so that no
/// other page has it.
public struct InvitationPage: Sendable {
  private let invitation: Invitation

  /// Makes the page.
  public init(_ invitation: Invitation) { self.invitation = invitation }

  /// Shows the code, as a picture too where the address is known.
  public func show(_ view: PageView) -> Shown {
    let code = "\(self.invitation.code.prefix(4)) \(self.invitation.code.dropFirst(4))"
    let address = self.invitation.url
    let picture: HTML = QRCode(address).map { "<p>\(Self.picture($0, label: view[.scan]))</p>" } ?? ""
    let link: HTML =
      address.isEmpty ? "<p>\(view[.openPair])</p>" : "\(picture)<p><a href=\"\(address)\">\(address)</a></p>"
    return Shown(
      view[.invitationFor, ["name": self.invitation.name]], in: .more, follows: [],
      """
      <section class="card"><p class="code" data-test="code">\(code)</p>\(link)\
      <p>\(view[.validUntil]) \(view.dayAndTime(of: self.invitation.expiresAt))</p></section>\
      <p class="links"><a href="/settings">\(view[.settings])</a></p>
      """)
  }

  private static func picture(_ code: QRCode, label: String) -> HTML {
    let quiet = 4
    let size = code.modules.count + 2 * quiet
    let dark = code.modules.enumerated().flatMap { row, modules in
      modules.enumerated().filter(\.element).map { column, _ in "M\(column + quiet) \(row + quiet)h1v1h-1z" }
    }
    return """
      <svg class="qr" viewBox="0 0 \(size) \(size)" role="img" aria-label="\(label)"><rect width="\(size)" height="\(size)" \
      fill="#fff"/><path d="\(dark.joined())" fill="#000"/></svg>
      """
  }
}

extension Text {
  fileprivate static let invitationFor = Text("Invitation for {name}", "{name}の招待")
  fileprivate static let scan = Text("The address as a QR code", "アドレスのQRコード")
  fileprivate static let openPair = Text(
    "Open /pair of this site on the new device and enter the code.", "新しい端末でこのサイトの /pair を開き、コードを入力してください。")
  fileprivate static let validUntil = Text("For one device, until", "1台だけ、有効期限：")
}
