import KithMessages
import SwiftProtobuf

/// Every message of `proto/` by its full name.
let messageTypes: [String: any (SwiftProtobuf.Message & Equatable).Type] = {
  let types: [any (SwiftProtobuf.Message & Equatable).Type] = [
    // wire.proto
    Status.self, StreamPosition.self, RequestHeader.self, ReplyHeader.self, Accepted.self, Progress.self, BlobRef.self,
    // work.proto
    ListJobsRequest.self, ListJobsReply.self, GetJobRequest.self, RetryJobRequest.self, CancelJobRequest.self,
    JobReply.self, JobInfo.self, WorkerInfo.self, WorkStatus.self, Ready.self, Capability.self, Held.self,
    Welcome.self, Job.self, Partial.self, WorkResult.self, Heartbeat.self, Disconnect.self, Credit.self,
    LeaseUpdate.self, Ack.self, Cancel.self, Fetch.self, Chunk.self, ChunkAck.self, Drain.self,
    // events.proto
    EventHeader.self, Event.self, Changed.self, SyncStatus.self, JobStatus.self, ReminderDue.self, SystemNotice.self,
    DeliveryStatus.self, Head.self, LoggedEvent.self,
    // system.proto
    HelloRequest.self, HelloReply.self, Limits.self, PingRequest.self, PingReply.self, WhoamiRequest.self,
    WhoamiReply.self, CancelRequest.self,
    CancelReply.self, ServicesRequest.self, ServicesReply.self, Service.self, StatusRequest.self, StatusReply.self,
    PlaneStatus.self,
    StorageStatus.self, FindIdsRequest.self, FindIdsReply.self, ShortenIdsRequest.self, ShortenIdsReply.self,
    ReplayRequest.self, ReplayReply.self, SnapshotRequest.self, SnapshotReply.self,
    BlobOpenRequest.self, BlobOpenReply.self, BlobPutRequest.self, BlobPutReply.self, BlobAbandonRequest.self,
    BlobAbandonReply.self, BlobGetRequest.self,
    BlobGetReply.self, BackupRequest.self, CheckupRequest.self, CheckupReply.self, FolderState.self,
    // contacts.proto
    AddSourceRequest.self, Vdir.self, Vcf.self, CardDAV.self, Source.self, ListSourcesRequest.self,
    ListSourcesReply.self, RemoveSourceRequest.self, RemoveSourceReply.self, TestSourceRequest.self,
    SetCredentialsRequest.self, DiscoverRequest.self, DiscoverReply.self, AddressBook.self, FindBooksRequest.self,
    TestSourceReply.self, SyncRequest.self, SyncReply.self, SyncStatusRequest.self, ListContactsRequest.self,
    ListContactsReply.self, GetContactRequest.self, GetContactReply.self, SearchContactsRequest.self,
    SearchContactsReply.self, ListProblemsRequest.self, ListProblemsReply.self, Problem.self,
    RestoreContactRequest.self, ExportContactsRequest.self, LabeledValue.self, Address.self, Name.self, Contact.self,
    SourceItem.self, ItemBatch.self, SourceLocation.self, ProbeSourceRequest.self, ProbeSourceReply.self,
    ListItemsRequest.self, ListItemsReply.self, FetchItemsRequest.self, FetchItemsReply.self, CardBatch.self,
    CardRead.self, Picture.self,
    // records.proto
    Person.self, ContactField.self, PersonAddress.self, Note.self, TaskItem.self, Activity.self, Gift.self, Tag.self,
    Relationship.self, PersonReminder.self, Call.self, Conversation.self, ConversationMessage.self, CatalogEntry.self,
    // monica.proto
    LoginRequest.self, MonicaStatusRequest.self, MonicaStatus.self, LogoutRequest.self, SwitchInstanceRequest.self,
    ClearCacheRequest.self, ClearCacheReply.self, MonicaSyncRequest.self, QueueRequest.self, QueueEntry.self,
    QueueReply.self, RetryQueueRequest.self, ClearQueueRequest.self, QueueChangeReply.self, ConflictsRequest.self,
    ConflictField.self, Conflict.self, ConflictsReply.self, ResolveConflictRequest.self, CatalogRequest.self,
    CatalogReply.self, MonicaAccount.self, VerifyAccountRequest.self, VerifyAccountReply.self, RemoteRecord.self,
    PullRequest.self, PullPage.self, PullReply.self, ReadRecordRequest.self, ReadRecordReply.self,
    ReadCatalogRequest.self, ReadPhotoRequest.self, ReadPhotoReply.self, PushRequest.self, PushReply.self,
    // people.proto
    ListPeopleRequest.self, ListPeopleReply.self, SearchPeopleRequest.self, SearchPeopleReply.self,
    WhoRequest.self, Acquaintance.self, WhoReply.self, PersonOfContactRequest.self, DuplicatesRequest.self,
    Duplicate.self,
    DuplicatesReply.self,
    GetPersonRequest.self, PersonDetails.self, PersonTimelineRequest.self, TimelineEntry.self,
    PersonTimelineReply.self, CreatePersonRequest.self, UpdatePersonRequest.self, DeletePersonRequest.self,
    RestorePersonRequest.self, RestoreNoteRequest.self, RestoreTaskRequest.self,
    RestoreActivityRequest.self, RestoreGiftRequest.self,
    CreateContactFieldRequest.self, UpdateContactFieldRequest.self, DeleteContactFieldRequest.self,
    CreatePersonAddressRequest.self, UpdatePersonAddressRequest.self, DeletePersonAddressRequest.self,
    CreatePersonReminderRequest.self, UpdatePersonReminderRequest.self, DeletePersonReminderRequest.self,
    SuggestLinksRequest.self, LinkSuggestion.self, SuggestLinksReply.self, LinkPersonRequest.self,
    DismissLinkRequest.self, DismissLinkReply.self, ListNotesRequest.self, ListNotesReply.self, GetNoteRequest.self,
    CreateNoteRequest.self, UpdateNoteRequest.self, DeleteNoteRequest.self, ListTasksRequest.self,
    ListTasksReply.self, GetTaskRequest.self, CreateTaskRequest.self, UpdateTaskRequest.self, DeleteTaskRequest.self,
    ListActivitiesRequest.self, ListActivitiesReply.self, GetActivityRequest.self, CreateActivityRequest.self,
    UpdateActivityRequest.self, DeleteActivityRequest.self, ListGiftsRequest.self, ListGiftsReply.self,
    GetGiftRequest.self, CreateGiftRequest.self, UpdateGiftRequest.self, DeleteGiftRequest.self, ListTagsRequest.self,
    ListTagsReply.self, CreateTagRequest.self, UpdateTagRequest.self, DeleteTagRequest.self, AssignTagsRequest.self,
    ListRelationshipsRequest.self, ListRelationshipsReply.self, GetRelationshipRequest.self,
    CreateRelationshipRequest.self, UpdateRelationshipRequest.self, DeleteRelationshipRequest.self,
    // calls.proto
    LogCallRequest.self, QuickCallRequest.self, StartCallRequest.self, StopCallRequest.self, UpdateCallRequest.self,
    AttachToCallRequest.self, DeleteCallRequest.self, BulkDeleteCallsRequest.self, BulkDeleteCallsReply.self,
    BulkTagCallsRequest.self,
    BulkTagCallsReply.self, RestoreCallRequest.self,
    CallFilter.self, ListCallsRequest.self, ListCallsReply.self, GetCallRequest.self, SearchCallsRequest.self,
    TextMark.self, CallHit.self, SearchCallsReply.self, CallTimelineRequest.self, CallGroup.self,
    CallTimelineReply.self, CallStatsRequest.self, CallStatsReply.self, WeekOfCalls.self, PersonCalls.self,
    SuggestCallsRequest.self, CallSuggestion.self, SuggestCallsReply.self, ExportCallsRequest.self, CallReport.self,
    CallReportDay.self, CallReportEntry.self, CallTemplate.self,
    ListCallTemplatesRequest.self, ListCallTemplatesReply.self, SaveCallTemplateRequest.self,
    DeleteCallTemplateRequest.self, ListConversationsRequest.self, ListConversationsReply.self,
    GetConversationRequest.self, CreateConversationRequest.self, UpdateConversationRequest.self,
    DeleteConversationRequest.self, RestoreConversationRequest.self, ShareCallsRequest.self, ShareCallsReply.self,
    AddMessageRequest.self, UpdateMessageRequest.self, DeleteMessageRequest.self,
    // channels.proto
    Channel.self, MailChannel.self, LineChannel.self, NtfyChannel.self, WebhookChannel.self, CommandChannel.self,
    DesktopChannel.self, PushChannel.self, SubscribePushRequest.self, UnsubscribePushRequest.self,
    AddChannelRequest.self, ListChannelsRequest.self, ListChannelsReply.self,
    SetChannelCredentialsRequest.self, RemoveChannelRequest.self, RemoveChannelReply.self, TestChannelRequest.self,
    TestChannelReply.self, DeliveryEntry.self, ListDeliveriesRequest.self, ListDeliveriesReply.self,
    RetryDeliveryRequest.self, DiscardDeliveryRequest.self, ConfigureChannelRequest.self, Notice.self,
    NoticeAction.self,
    DeliverRequest.self, DeliverReply.self,
    // care.proto
    ShareCareRequest.self, ShareCareReply.self,
    CareRecord.self, CareVersion.self, CareReply.self, RecordCareRequest.self, UpdateCareRequest.self,
    ConfirmCareRequest.self, DeleteCareRequest.self, RestoreCareRequest.self, GetCareRequest.self,
    ListCareRequest.self, ListCareReply.self, SearchCareRequest.self, StartVoiceRequest.self, AppendVoiceRequest.self,
    AppendVoiceReply.self, StopVoiceRequest.self, TranscribeAgainRequest.self, CareAudioRequest.self,
    CareSummaryRequest.self,
    CareSummaryReply.self, ExportCareRequest.self, CareSettingsRequest.self, CareSettings.self,
    ConfigureCareRequest.self, TranscribeRequest.self, TranscriptSegment.self, TranscribeReply.self,
    EnginesRequest.self, EngineInfo.self, EnginesReply.self,
    // plan.proto
    PlanItem.self, PlanTime.self, PlanVersion.self, Dose.self, PlanWarning.self, AddPlanItemRequest.self,
    ChangePlanItemRequest.self, PausePlanItemRequest.self, ResumePlanItemRequest.self, EndPlanItemRequest.self,
    StockPlanItemRequest.self, ListPlanItemsRequest.self, ListPlanItemsReply.self, GetPlanItemRequest.self,
    PlanDayRequest.self, PlanDay.self, PlanDue.self, PlanNeed.self, GiveRequest.self, SkipRequest.self,
    UndoDoseRequest.self, DoseReply.self, ListDosesRequest.self, ListDosesReply.self,
    SuggestRequest.self, SuggestReply.self, PlanSuggestion.self,
    // measurements.proto
    MeasurementRecord.self, RecordMeasurementRequest.self, MeasurementReply.self, DeleteMeasurementRequest.self,
    ListMeasurementsRequest.self, ListMeasurementsReply.self, MeasurementSeriesRequest.self,
    MeasurementSeriesReply.self, MeasuredDay.self,
    // reminders.proto
    ReminderDelivery.self, ReminderSettingsRequest.self, ReminderSettings.self, ConfigureRemindersRequest.self,
    DailyReminder.self, SetDailyReminderRequest.self, Reminder.self, ReminderStatusRequest.self,
    ReminderStatusReply.self, AddCallReminderRequest.self, ListRemindersRequest.self, ListRemindersReply.self,
    SnoozeReminderRequest.self, DoneReminderRequest.self, RemoveReminderRequest.self,
    FollowReminderLinkRequest.self, FollowReminderLinkReply.self,
    // keys.proto
    KeyInfo.self, KeysListRequest.self, KeysListReply.self, KeyApproveRequest.self, KeyRevokeRequest.self,
    ServerKeyRequest.self, KeysInitRequest.self, KeyRotateServerRequest.self, ServerKey.self,
    // devices.proto
    Device.self, DevicesListRequest.self, DevicesListReply.self, InviteDeviceRequest.self, Invitation.self,
    PairDeviceRequest.self, AddDeviceRequest.self, RevokeDeviceRequest.self, LeaveRequest.self, Door.self,
    AnnounceReply.self,
    // backups.proto
    MakeBackupRequest.self, ListBackupsRequest.self, BackupState.self, MadeBackup.self,
    PutArchiveRequest.self, PutArchiveReply.self,
  ]
  return Dictionary(uniqueKeysWithValues: types.map { ($0.protoMessageName, $0) })
}()
