public import Bus
internal import KithMessages
internal import Storage

extension MonicaGatewayActor {
  /// Every method of the gateway's services.
  public nonisolated var routes: [Route] {
    self.peopleRoutes + self.journalRoutes + self.callRoutes + self.conversationRoutes + self.queueRoutes
      + self.engine.routes
  }

  /// The methods of `Notes`, `Tasks`, `Activities`, `Gifts`, `Tags` and `Relationships`.
  private nonisolated var journalRoutes: [Route] {
    [
      self.listing(ListNotesRequest.self), self.reading(GetNoteRequest.self), self.creating(CreateNoteRequest.self),
      self.changing(UpdateNoteRequest.self), self.deleting(DeleteNoteRequest.self),
      self.restoring(RestoreNoteRequest.self),

      self.listing(ListTasksRequest.self), self.reading(GetTaskRequest.self), self.creating(CreateTaskRequest.self),
      self.changing(UpdateTaskRequest.self), self.deleting(DeleteTaskRequest.self),
      self.restoring(RestoreTaskRequest.self),

      self.listing(ListActivitiesRequest.self), self.reading(GetActivityRequest.self),
      self.creating(CreateActivityRequest.self), self.changing(UpdateActivityRequest.self),
      self.deleting(DeleteActivityRequest.self), self.restoring(RestoreActivityRequest.self),

      self.listing(ListGiftsRequest.self), self.reading(GetGiftRequest.self), self.creating(CreateGiftRequest.self),
      self.changing(UpdateGiftRequest.self), self.deleting(DeleteGiftRequest.self),
      self.restoring(RestoreGiftRequest.self),

      self.listing(ListTagsRequest.self), self.creating(CreateTagRequest.self), self.changing(UpdateTagRequest.self),
      self.writing(DeleteTagRequest.self) { request, transaction, now throws(Failure) in
        let tag = try transaction.records.delete(Tag.self, request.id, now: now)
        try transaction.records.untag(tag.name, now: now)
        return tag
      },
      self.writing(AssignTagsRequest.self) { request, transaction, now throws(Failure) in
        try request.assign(in: transaction, now: now)
      },

      self.listing(ListRelationshipsRequest.self), self.reading(GetRelationshipRequest.self),
      self.creating(CreateRelationshipRequest.self),
      self.writing(UpdateRelationshipRequest.self) { request, transaction, now throws(Failure) in
        try transaction.change(request, as: request.fromTheStoredSide(transaction), now: now)
      },
      self.deleting(DeleteRelationshipRequest.self),
    ]
  }
}
