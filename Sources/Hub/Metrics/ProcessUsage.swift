internal import Foundation
internal import Glibc

/// What the kernel tells of this process. proc_pid_statm(5), clock_gettime(2).
struct ProcessUsage: Sendable {
  /// Bytes of its address space, and of what of it is resident.
  let virtualBytes: Int
  let residentBytes: Int
  /// Processor time of all threads, in seconds.
  let processorSeconds: Double
  /// Descriptors that it has open, and may have.
  let openDescriptors: Int
  let mostDescriptors: Int

  /// Asks; what the kernel does not tell is 0.
  static func now() -> ProcessUsage {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").prefix(2).map { Int($0) ?? 0 } + [0, 0]
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
    return ProcessUsage(
      virtualBytes: pages[0] * page, residentBytes: pages[1] * page,
      processorSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, openDescriptors: descriptors,
      mostDescriptors: Int(sysconf(Int32(_SC_OPEN_MAX))))
  }
}
