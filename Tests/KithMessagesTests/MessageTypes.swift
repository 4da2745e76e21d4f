import KithMessages
import SwiftProtobuf

/// Every message of `proto/` by its full name.
let messageTypes: [String: any (SwiftProtobuf.Message & Equatable).Type] = {
  let types: [any (SwiftProtobuf.Message & Equatable).Type] = [
    // wire.proto
    Status.self, StreamPosition.self, RequestHeader.self, ReplyHeader.self, Accepted.self, Progress.self, BlobRef.self,
    // events.proto
    EventHeader.self, Event.self, Changed.self, SyncStatus.self, JobStatus.self, ReminderDue.self, SystemNotice.self,
    Head.self, LoggedEvent.self,
    // system.proto
    HelloRequest.self, HelloReply.self, Limits.self, PingRequest.self, PingReply.self, CancelRequest.self,
    CancelReply.self, ServicesRequest.self, ServicesReply.self, Service.self, StatusRequest.self, StatusReply.self,
    StorageStatus.self, ReplayRequest.self, ReplayReply.self, SnapshotRequest.self, SnapshotReply.self,
    BlobOpenRequest.self, BlobOpenReply.self, BlobPutRequest.self, BlobPutReply.self, BlobGetRequest.self,
    BlobGetReply.self, BackupRequest.self,
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
  ]
  return Dictionary(uniqueKeysWithValues: types.map { ($0.protoMessageName, $0) })
}()
