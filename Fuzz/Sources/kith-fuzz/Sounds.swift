import Transcription

/// WAVs: the samples lie within the file, whatever its header says.
enum Sounds: FuzzTarget {
  static var seeds: [[UInt8]] {
    let samples = WAVWriter.file([0, 1, -1, 32_767, -32_768])
    // A recorder that was killed, a format with an extension, and a part before the samples.
    var endless = samples
    endless.replaceSubrange(40..<44, with: [0xFF, 0xFF, 0xFF, 0xFF])
    var extended = samples
    extended.replaceSubrange(20..<22, with: [0xFE, 0xFF])
    let listed = samples[..<36] + Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0] + samples[36...]
    return [samples, endless, extended, Array(listed)]
  }

  static func read(_ input: [UInt8]) {
    _ = SoundFormat(input)
    guard let layout = try? WAVReader(input) else { return }
    require(layout.dataOffset >= 0 && layout.dataLength >= 0, "a negative place")
    require(layout.dataOffset + layout.dataLength <= input.count, "samples beyond the end of the file")
    require(layout.duration.isFinite && layout.duration >= 0, "a duration that is no number of seconds")
    require(
      layout.dataLength % (layout.channels * layout.bitsPerSample / 8) == 0, "a part of a frame at the end")
  }
}
