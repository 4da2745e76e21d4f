import CFuzzer
import Foundation

/// The parsers as the first argument names them. libFuzzer calls a function of C, which can hold nothing, so each names its own.
private let parsers: [String: (seeds: [[UInt8]], tryOne: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt)] =
  unsafe [
    "cards": (Cards.seeds, { unsafe tried(Cards.self, $0, $1) }),
    "sounds": (Sounds.seeds, { unsafe tried(Sounds.self, $0, $1) }),
    "multistatus": (Multistatus.seeds, { unsafe tried(Multistatus.self, $0, $1) }),
    "frames": (Frames.seeds, { unsafe tried(Frames.self, $0, $1) }),
    "headers": (Headers.seeds, { unsafe tried(Headers.self, $0, $1) }),
  ]

/// libFuzzer lends the bytes for the length of the call.
private func tried<Target: FuzzTarget>(_: Target.Type, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe Target.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}

let names = unsafe parsers.keys.sorted()
guard CommandLine.arguments.count >= 3, let parser = unsafe parsers[CommandLine.arguments[1]] else {
  FileHandle.standardError.write(
    Data("usage: kith-fuzz \(names.joined(separator: "|")) FOLDER [options of libFuzzer]\n".utf8))
  exit(64)
}
let folder = URL(filePath: CommandLine.arguments[2], directoryHint: .isDirectory)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
for (number, seed) in unsafe parser.seeds.enumerated() {
  try Data(seed).write(to: folder.appending(path: "seed-\(number)"))
}

let arguments = [CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)
// The driver keeps the pointers, so they are never freed.
var pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = .allocate(capacity: arguments.count + 1)
for (index, argument) in arguments.enumerated() { unsafe pointers[index] = strdup(argument) }
unsafe pointers[arguments.count] = nil
var count = CInt(arguments.count)
exit(unsafe LLVMFuzzerRunDriver(&count, &pointers, parser.tryOne))
