import Glibc
import VCard

/// Reads a `.vcf` file with many cards and tells how fast, beside a plain read of the same file.
///
///     vcard-bench FILE.vcf [rounds]
///
/// Rates are by processor time. A round reads all cards, their names, phones and e-mail addresses, and decodes their pictures.

/// The processor time of `work` in seconds: other load on the machine would spoil wall time.
func seconds(_ work: () -> Void) -> Double {
  func now() -> Double {
    var time = timespec()
    // The structure is this function's own.
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  work()
  return now() - start
}

func fail(_ message: String) -> Never {
  print(message)
  exit(1)
}

func contents(of path: String) -> [UInt8] {
  // The path is a null-terminated string that lives through the call.
  let descriptor = unsafe open(path, O_RDONLY)
  guard descriptor >= 0 else { fail("Cannot open \(path). Give the path of a .vcf file.") }
  defer { close(descriptor) }
  let size = Int(lseek(descriptor, 0, SEEK_END))
  lseek(descriptor, 0, SEEK_SET)
  // The buffer has `size` bytes, and each read is told how many of them are left.
  return unsafe [UInt8](unsafeUninitializedCapacity: max(0, size)) { buffer, count in
    while count < size {
      guard let base = buffer.baseAddress else { return }
      let got = unsafe read(descriptor, base + count, size - count)
      guard got > 0 else { return }
      count += got
    }
  }
}

struct Tally {
  var cards = 0
  var faults = 0
  var warnings = 0
  var texts = 0
  var photos = 0
  var photoBytes = 0

  mutating func add(_ card: Card) {
    cards += 1
    warnings += card.warnings.count
    texts += card.formattedName?.utf8.count ?? 0
    for value in card.phones { texts += value.value.utf8.count }
    for value in card.emails { texts += value.value.utf8.count }
    if case .inline(let bytes, _)? = card.photo().photo {
      photos += 1
      photoBytes += bytes.count
    }
  }

  mutating func add(all bytes: [UInt8]) {
    for reading in CardReader(bytes) {
      if let card = try? reading.result.get() { add(card) } else { faults += 1 }
    }
  }

  mutating func add(sliced bytes: [UInt8]) {
    var splitter = CardSplitter()
    func drain(_ tally: inout Tally, _ splitter: inout CardSplitter) {
      while let raw = splitter.next() {
        if let card = try? raw.card() { tally.add(card) } else { tally.faults += 1 }
      }
    }
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      splitter.append(bytes[start..<min(start + 1 << 16, bytes.count)])
      drain(&self, &splitter)
    }
    splitter.finish()
    drain(&self, &splitter)
  }
}

guard CommandLine.arguments.count >= 2 else { fail("usage: vcard-bench FILE.vcf [rounds]") }
let path = CommandLine.arguments[1]
let rounds = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 5 : 5
var bytes: [UInt8] = []
for round in 1...max(1, rounds) {
  let readTime = seconds { bytes = contents(of: path) }
  var whole = Tally()
  let wholeTime = seconds { whole.add(all: bytes) }
  var sliced = Tally()
  let slicedTime = seconds { sliced.add(sliced: bytes) }
  var split = 0
  let splitTime = seconds {
    for reading in CardReader(bytes) { split += reading.byteRange.count }
  }
  let megabytes = Double(bytes.count) / 1e6
  print(
    """
    round \(round): \(whole.cards) cards, \(whole.faults) faults, \(whole.warnings) warnings, \(whole.photos) photos, \
    \(Int(megabytes)) MB; plain read \(Int(readTime * 1e6)) us; \
    whole \(Int(Double(whole.cards) / wholeTime)) cards/s (\(Int(megabytes / wholeTime)) MB/s, \
    \(Int(wholeTime / max(readTime, 1e-9) * 10)) tenths of a read); \
    sliced \(Int(Double(sliced.cards) / slicedTime)) cards/s; \
    views unread \(Int(Double(whole.cards) / splitTime)) cards/s
    """)
}
