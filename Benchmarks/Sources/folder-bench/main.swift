// Passes over a folder of cards: first, without changes, and with 1 % changed, against reading and parsing alone.
//
//   folder-bench FOLDER [STORE]        a folder of .vcf files, which is edited and put back
//
// The store is made in a directory of its own beside the folder. At the end it is moved to STORE, or removed.

import Bus
import ContactsSync
import Foundation
import Glibc
import KithMessages
import Logging
import Secrets
import Storage

/// Runs `work` and prints its seconds, and those of the processors.
func measure<Result>(_ what: String, _ work: () async throws -> Result) async throws -> (Result, Double) {
  let start = ContinuousClock.now
  let before = processorSeconds()
  let result = try await work()
  let seconds = (ContinuousClock.now - start) / .seconds(1)
  let busy = processorSeconds() - before
  print("\(what): \((seconds * 1000).rounded() / 1000) s, processors \((busy * 1000).rounded() / 1000) s")
  return (result, seconds)
}

/// The time that this process took of the processors so far, in seconds.
func processorSeconds() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
}

/// The peak resident memory of this process so far, in MiB.
func peakMemory() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss / 1024
}

guard let folder = CommandLine.arguments.dropFirst().first else {
  print("usage: folder-bench FOLDER [STORE]")
  exit(2)
}
let logger = Logger(label: "folder-bench") { _ in SwiftLogNoOpLogHandler() }
let secrets = SecretDirectory(path: folder + ".bench-secrets")
let service = ContactsSourceService()
let port = LocalBatchPort(service.routes, batches: service.batchRoutes)
var location = SourceLocation()
location.vdir.path = folder

/// Hrefs that a listing gave, from whichever task it runs on.
actor Listing {
  private(set) var hrefs: [String] = []

  func add(_ batch: ItemBatch) { self.hrefs += batch.items.map(\.href) }
}

let (hrefs, _) = try await measure("listing") {
  let listing = Listing()
  var request = ListItemsRequest()
  request.source = location
  _ = try await port.call(request, CallContext()) { batch throws(Failure) in await listing.add(batch) }
  return await listing.hrefs
}
var fetch = FetchItemsRequest()
fetch.source = location
fetch.hrefs = hrefs
let (_, reading) = try await measure("reading and parsing \(hrefs.count) files") {
  _ = try await port.call(fetch, CallContext()) { _ throws(Failure) in }
}
print("peak memory while reading: \(peakMemory()) MiB")

let directory = folder + ".bench-state"
try? FileManager.default.removeItem(atPath: directory)
let storage = try StorageActor(directory: directory, logger: logger) { _ in }
let contacts = ContactsSyncActor(storage: storage, source: port, secrets: secrets, logger: logger)
var source = Source()
source.name = "bench"
source.vdir.path = folder
_ = try await storage.write { [source] transaction throws(Failure) in try transaction.sources.insert(source) }

let (_, first) = try await measure("first pass") { try await contacts.syncAll() }
print("first pass / reading and parsing: \((first / reading * 100).rounded() / 100)")
// Stamps of the last two seconds are in doubt, and read again.
try await Task.sleep(for: .seconds(3))
try await contacts.syncAll()
_ = try await measure("pass without changes") { try await contacts.syncAll() }

let changed = hrefs.prefix(hrefs.count / 100)
var originals: [String: Data] = [:]
for href in changed {
  let url = URL(fileURLWithPath: folder + "/" + href)
  let original = try Data(contentsOf: url)
  originals[href] = original
  let text = String(decoding: original, as: UTF8.self).replacing("END:VCARD", with: "NOTE:changed\r\nEND:VCARD")
  try Data(text.utf8).write(to: url)
}
_ = try await measure("pass with \(changed.count) changed") { try await contacts.syncAll() }
for (href, original) in originals { try original.write(to: URL(fileURLWithPath: folder + "/" + href)) }
let status = try await storage.read { view throws(Failure) in try view.sources.find("bench")?.source.status }
print("contacts: \(status?.live ?? 0), updated: \(status?.updated ?? 0), peak memory: \(peakMemory()) MiB")
await storage.close()
if let kept = CommandLine.arguments.dropFirst(2).first {
  try FileManager.default.moveItem(atPath: directory, toPath: kept)
} else {
  try FileManager.default.removeItem(atPath: directory)
}
