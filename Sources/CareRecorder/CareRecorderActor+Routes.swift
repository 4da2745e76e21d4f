public import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension CareRecorderActor {
  /// Every method of `kith.v1.Care`.
  public nonisolated var routes: [Route] {
    [
      Route(answering: RecordCareRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.record(request, context)
      },
      Route(answering: UpdateCareRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.update(request, context)
      },
      Route(answering: ConfirmCareRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.confirm(request, context)
      },
      Route(answering: DeleteCareRequest.self, order: .afterWrites) { request, context throws(Failure) in
        let now = self.now()
        return try await self.storage.commit(DeleteCareRequest.self, context) { transaction throws(Failure) in
          try Self.setDeleted(request.id, true, transaction, now: now)
        }
      },
      Route(answering: RestoreCareRequest.self, order: .afterWrites) { request, context throws(Failure) in
        let now = self.now()
        return try await self.storage.commit(RestoreCareRequest.self, context) { transaction throws(Failure) in
          try Self.setDeleted(request.id, false, transaction, now: now)
        }
      },
      Route(GetCareRequest.self) { request, _ throws(Failure) in
        var record = try await self.storage.read { view throws(Failure) in
          _ = try view.care.require(request.id)
          return try view.care.get(request.id, withVersions: true) ?? CareRecord()
        }
        self.showProgress(in: &record)
        return Self.reply(record)
      },
      Route(ListCareRequest.self) { request, _ throws(Failure) in try await self.list(request) },
      Route(SearchCareRequest.self) { request, _ throws(Failure) in
        guard request.text.contains(where: { !$0.isWhitespace }) else {
          throw .invalid(field: "text", "is empty. Give a word of the transcript or the memo.")
        }
        var query = CareQuery()
        query.text = request.text
        query.limit = request.limit
        query.cursor = request.cursor
        return try await self.storage.read { [query] view throws(Failure) in try view.care.page(query) }
      },
      Route(answering: StartVoiceRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.startVoice(request, context)
      },
      Route(answering: AppendVoiceRequest.self) { request, context throws(Failure) in
        try await self.appendVoice(request, context)
      },
      Route(answering: StopVoiceRequest.self) { request, context throws(Failure) in
        try await self.stopVoice(request, context)
      },
      Route(CareAudioRequest.self) { request, _ throws(Failure) in try await self.sound(of: request.id) },
      Route(answering: TranscribeAgainRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.transcribeAgain(request, context)
      },
      Route(CareSummaryRequest.self) { request, _ throws(Failure) in try await self.summary(request) },
      Route(answering: ShareCareRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.share(request, context)
      },
      Route(ExportCareRequest.self) { request, _ throws(Failure) in
        try await CareExport(request, storage: self.storage, now: self.now()).stage()
      },
      Route(CareReportRequest.self) { request, _ throws(Failure) in try await self.report(request) },
      Route(CareSettingsRequest.self) { _, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in try view.care.settings() }
      },
      Route(answering: ConfigureCareRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.storage.commit(ConfigureCareRequest.self, context) { transaction throws(Failure) in
          let settings = try CareRules.settings(
            try transaction.care.settings(), changed: request.settings, fields: request.fields)
          try transaction.care.configure(settings)
          try transaction.plan.move(to: try Zone.reading(settings.timeZone).name, now: self.now())
          return settings
        }
      },
    ]
  }
}
