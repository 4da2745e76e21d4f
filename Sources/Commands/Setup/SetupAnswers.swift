internal import Bus
internal import KithMessages

/// What is to be changed; nil: left as it is.
struct SetupAnswers {
  var language: String?
  var recipient: String?
  var source: AddSourceRequest?
  var monica: LoginRequest?
  var channel: AddChannelRequest?
  /// HH:MM, or off.
  var reminder: String?
  var backup: String?

  var isEmpty: Bool {
    self.language == nil && self.recipient == nil && self.source == nil && self.monica == nil && self.channel == nil
      && self.reminder == nil && self.backup == nil
  }

  /// Sends each change. Those that a server has to agree to go first, so that a refusal leaves nothing half-done.
  ///
  /// - Throws: The failure of a request; later ones are not sent.
  func carryOut(_ session: Session) async throws {
    let say = session.language
    if let monica {
      let status = try await session.ask(monica)
      session.console.tell(
        say("Monica: \(Printable.text(status.endpoint))", "Monica: \(Printable.text(status.endpoint))"))
    }
    if let source {
      let added = try await session.ask(source)
      let name = Printable.text(added.name)
      session.console.tell(
        say(
          "Address book \(name). Read now: kith contacts sync \(name)",
          "取り込み元 \(name)。今読むには: kith contacts sync \(name)"))
    }
    try await self.configureCare(session)
    if let channel { try await self.add(channel, session) }
    if let reminder {
      var request = SetDailyReminderRequest()
      request.enabled = reminder != "off"
      if request.enabled { request.time = reminder }
      session.console.tell(try await session.ask(request).words(session))
    }
    if let backup {
      try await session.save(
        try await session.ask(BackupRequest(), drawing: session.language("backup", "バックアップ")), to: backup)
    }
  }

  private func configureCare(_ session: Session) async throws(Failure) {
    var request = ConfigureCareRequest()
    if let language {
      request.settings.language = language
      request.fields.append("language")
    }
    if let recipient {
      request.settings.recipient = recipient
      request.fields.append("recipient")
    }
    if !request.fields.isEmpty { _ = try await session.ask(request) }
  }

  /// Adds a channel, and sends the daily reminder, those of the plan and those to call over it.
  private func add(_ channel: AddChannelRequest, _ session: Session) async throws(Failure) {
    let added = try await session.ask(channel)
    let settings = try await session.ask(ReminderSettingsRequest())
    var request = ConfigureRemindersRequest()
    request.settings.dailyChannels = settings.dailyChannels + [added.name]
    request.settings.callChannels = settings.callChannels + [added.name]
    request.settings.planChannels = settings.planChannels + [added.name]
    request.fields = ["daily_channels", "call_channels", "plan_channels"]
    _ = try await session.ask(request)
    let name = Printable.text(added.name)
    session.console.tell(
      session.language(
        "Channel \(name). Try it: kith channels test \(name)", "送り先 \(name)。試すには: kith channels test \(name)"))
  }
}
