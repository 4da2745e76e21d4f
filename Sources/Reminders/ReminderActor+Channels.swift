internal import Bus
internal import CivilTime
internal import KithMessages
internal import Secrets
internal import Storage

extension ReminderActor {
  /// Every method of `kith.v1.Channels`.
  nonisolated var channelRoutes: [Route] {
    [
      Route(answering: AddChannelRequest.self) { request, context throws(Failure) in
        try await self.addChannel(request, context)
      },
      Route(ListChannelsRequest.self) { _, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in
          var reply = ListChannelsReply()
          reply.channels = try view.channels.all()
          for index in reply.channels.indices {
            if let last = try view.deliveries.last(on: reply.channels[index].name) { reply.channels[index].last = last }
          }
          return reply
        }
      },
      Route(answering: ConfigureChannelRequest.self) { request, context throws(Failure) in
        try await self.storage.commit(ConfigureChannelRequest.self, context) { transaction throws(Failure) in
          var channel = try transaction.channels.require(request.name)
          guard channel.name != ChannelTable<ReadView>.desktop else {
            throw .invalid(field: "name", "is the desktop, which has no settings.")
          }
          channel.shortSummary = request.shortSummary
          try transaction.channels.put(channel)
          return channel
        }
      },
      Route(answering: SetChannelCredentialsRequest.self) { request, context throws(Failure) in
        try await self.setCredentials(request, context)
      },
      Route(answering: RemoveChannelRequest.self) { request, context throws(Failure) in
        try await self.remove(request.name, RemoveChannelRequest.self, context)
      },
      Route(answering: SubscribePushRequest.self) { request, context throws(Failure) in
        try await self.subscribe(request, context)
      },
      Route(answering: UnsubscribePushRequest.self) { _, context throws(Failure) in
        let device = try Self.device(of: context)
        return try await self.remove(
          ChannelRules.pushName(of: device), UnsubscribePushRequest.self, context, of: device)
      },
      Route(TestChannelRequest.self) { request, _ throws(Failure) in try await self.testChannel(request) },
      Route(ListDeliveriesRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in try view.deliveries.page(request) }
      },
      Route(answering: RetryDeliveryRequest.self, order: .afterWrites) { request, context throws(Failure) in
        let now = self.now()
        return try await self.storage.commit(RetryDeliveryRequest.self, context) { transaction throws(Failure) in
          var entry = try transaction.deliveries.require(request.id)
          try entry.retry(at: now)
          _ = try transaction.channels.require(entry.channel)
          try transaction.deliveries.put(entry, now: now)
          return entry
        }
      },
      Route(answering: DiscardDeliveryRequest.self, order: .afterWrites) { request, context throws(Failure) in
        let now = self.now()
        return try await self.storage.commit(DiscardDeliveryRequest.self, context) { transaction throws(Failure) in
          var entry = try transaction.deliveries.require(request.id)
          try entry.discard()
          try transaction.deliveries.put(entry, now: now)
          return try transaction.deliveries.require(entry.id)
        }
      },
    ]
  }

  /// Stores the secret before the channel: a channel without its secret would be refused, and some servers count
  /// refusals.
  private func addChannel(_ request: AddChannelRequest, _ context: CallContext) async throws(Failure) -> Answer<Channel>
  {
    let channel = try ChannelRules.channel(request, now: self.now())
    try self.claim(channel.name)
    defer { self.busyChannels.remove(channel.name) }
    let isKnown = try await self.storage.read { view throws(Failure) in try view.channels.find(channel.name) != nil }
    return try await self.secrets.keep(isKnown ? nil : request.secret, named: ChannelSecret.name(of: channel.name)) {
      () async throws(Failure) in
      try await self.storage.commit(AddChannelRequest.self, context) { transaction throws(Failure) in
        guard try transaction.channels.find(channel.name) == nil else {
          throw Failure(
            .alreadyExists, "CHANNEL_EXISTS",
            "There is a channel '\(channel.name)' already. Choose another name, or remove it first.")
        }
        try transaction.channels.put(channel)
        return channel
      }
    }
  }

  private func setCredentials(
    _ request: SetChannelCredentialsRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<Channel> {
    guard !request.secret.isEmpty || !request.secretFile.isEmpty else {
      throw .invalid(field: "secret", "give a password or token, or a file that holds it.")
    }
    try ChannelRules.secret(request.secret, file: request.secretFile, field: "secret_file")
    try self.claim(request.name)
    defer { self.busyChannels.remove(request.name) }
    _ = try await self.storage.read { view throws(Failure) in try view.channels.require(request.name) }
    let secret = request.secret.isEmpty ? nil : request.secret
    return try await self.secrets.keep(secret, named: ChannelSecret.name(of: request.name)) {
      () async throws(Failure) in
      try await self.storage.commit(SetChannelCredentialsRequest.self, context) { transaction throws(Failure) in
        var channel = try transaction.channels.require(request.name)
        channel.secretFile = request.secretFile
        if channel.name != ChannelTable<ReadView>.desktop { try transaction.channels.put(channel) }
        return channel
      }
    }
  }

  /// A second channel of one device would announce everything twice, so that its name is the device's.
  private func subscribe(
    _ request: SubscribePushRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<Channel> {
    let device = try Self.device(of: context)
    let channel = try ChannelRules.push(request, device: device, more: self.pushServices, now: self.now())
    try self.claim(channel.name)
    defer { self.busyChannels.remove(channel.name) }
    return try await self.secrets.keep(request.key, named: ChannelSecret.name(of: channel.name)) {
      () async throws(Failure) in
      try await self.storage.commit(SubscribePushRequest.self, context) { transaction throws(Failure) in
        // It may have been revoked since it asked.
        guard try transaction.devices.active(device) != nil else {
          throw Failure(.unauthenticated, "PRINCIPAL_UNKNOWN", "The device '\(device)' was revoked.")
        }
        if let other = try transaction.channels.find(channel.name), other.push.device != device {
          throw Failure(
            .alreadyExists, "CHANNEL_EXISTS",
            "There is a channel '\(channel.name)' already. An admin has to remove it first.")
        }
        try transaction.channels.put(channel)
        return channel
      }
    }
  }

  private static func device(of context: CallContext) throws(Failure) -> String {
    guard let name = context.principal.deviceName else {
      throw Failure(
        .failedPrecondition, "NOT_A_DEVICE", "Only a device can do this: open the page Reminders on the phone.")
    }
    return name
  }

  /// - Parameter device: Whose browser it has to be; nil = any channel.
  private func remove<C: Command>(
    _ name: String, _ type: C.Type, _ context: CallContext, of device: String? = nil
  ) async throws(Failure) -> Answer<RemoveChannelReply> where C.Reply == RemoveChannelReply {
    try self.claim(name)
    defer { self.busyChannels.remove(name) }
    let now = self.now()
    let answer = try await self.storage.commit(type, context) { transaction throws(Failure) in
      let channel = try transaction.channels.require(name)
      guard device == nil || channel.push.device == device else {
        throw .unknownRecord(name, "This device is not reminded.")
      }
      var reply = RemoveChannelReply()
      reply.discarded = UInt32(clamping: try transaction.deliveries.discardWaiting(on: name, now: now))
      try transaction.channels.remove(name)
      var settings = try transaction.reminders.settings()
      settings.removeChannel(name)
      try transaction.reminders.configure(settings)
      return reply
    }
    // The replayed answer may be about an earlier channel: a new one of this name may exist, with its own secret.
    let isThere = try await self.storage.read { view throws(Failure) in try view.channels.find(name) != nil }
    if !isThere { try await self.secrets.forget(ChannelSecret.name(of: name)) }
    return answer
  }

  /// Locks a channel while its secret changes.
  ///
  /// - Throws: `ABORTED/CONFLICT` if another command is changing it.
  private func claim(_ name: String) throws(Failure) {
    guard self.busyChannels.insert(name).inserted else {
      throw Failure(.aborted, "CONFLICT", "Another command is changing '\(name)'. Try again in a moment.")
    }
  }

  private func testChannel(_ request: TestChannelRequest) async throws(Failure) -> TestChannelReply {
    let now = self.now()
    let zone = self.systemZone()
    let entry = try await self.storage.write { transaction throws(Failure) in
      let words = try ReminderWords(request.language, transaction)
      let message = OutgoingMessage(
        kind: "test", title: words.testTitle, text: words.testText, date: zone.mailDate(at: now), expiresAt: now)
      let entries = try transaction.deliveries.queue(
        message, on: try transaction.channels.require(request.name), now: now)
      return entries[0]
    }
    var reply = TestChannelReply()
    reply.delivery = try await self.engine.attemptNow(entry)
    return reply
  }
}
