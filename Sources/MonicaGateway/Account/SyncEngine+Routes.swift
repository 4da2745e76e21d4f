public import Bus
internal import KithMessages
internal import Storage

extension SyncEngine {
  /// The methods of `kith.v1.Monica` for the account, the sync and its conflicts.
  public nonisolated var routes: [Route] {
    [
      Route(answering: LoginRequest.self) { request, context throws(Failure) in
        try await self.login(request, context)
      },
      Route(MonicaStatusRequest.self) { _, _ throws(Failure) in try await self.status() },
      Route(answering: LogoutRequest.self) { _, context throws(Failure) in try await self.logout(context) },
      Route(answering: SwitchInstanceRequest.self) { request, context throws(Failure) in
        try await self.switchInstance(request, context)
      },
      Route(answering: ClearCacheRequest.self) { request, context throws(Failure) in
        try await self.clearCache(request, context)
      },
      Route(answering: MonicaSyncRequest.self) { request, context throws(Failure) in
        try await self.sync(request, context)
      },
      Route(answering: ResolveConflictRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.resolve(request, context)
      },
    ]
  }

  private func sync(_ request: MonicaSyncRequest, _ context: CallContext) async throws(Failure) -> Answer<MonicaStatus>
  {
    guard !request.full || !request.pushOnly else {
      throw .invalid(field: "full", "reads every list, and push_only reads none. Choose one.")
    }
    let options = PullPlan.Options(isFull: request.full, isCommanded: true)
    let pass = try await self.sync(
      request.pushOnly ? nil : options, cause: context.requestID, progress: context.progress)
    let token = try await self.maskedToken()
    return try await self.storage.commit(MonicaSyncRequest.self, context) { transaction throws(Failure) in
      // The status of the pass that was waited for: another one may be running now.
      try MonicaStatus(transaction, token: token, after: pass)
    }
  }

  private func resolve(
    _ request: ResolveConflictRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<QueueChangeReply> {
    let now = self.now()
    let answer = try await self.storage.commit(ResolveConflictRequest.self, context) { transaction throws(Failure) in
      guard request.id.isEmpty || !request.allDeletedOnServer else {
        throw .invalid(field: "id", "names one conflict, and all_deleted_on_server means many. Choose one.")
      }
      var reply = QueueChangeReply()
      if request.allDeletedOnServer {
        let isKept = try ConflictChoice.isKept(ofMany: request)
        reply.entries = try transaction.outbox.resolveDeletions(isKept: isKept, now: now)
      } else {
        let choice = try ConflictChoice(request, of: try transaction.outbox.conflict(of: request.id))
        reply.entries = try transaction.outbox.resolve(request.id, as: choice.body, now: now)
      }
      return reply
    }
    self.nudge()
    return answer
  }
}
