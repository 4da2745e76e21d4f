internal import CPocketSphinx
internal import Glibc

/// PocketSphinx with a general language model, mixed with the caregiving model if there is one.
///
/// Nothing is freed: the process ends after one recording.
@safe final class Decoder {
  /// The version of the engine, for the transcript.
  let version: String
  private let decoder: OpaquePointer

  // After this length an utterance ends at the next silence, because its memory grows with its length.
  private static let longUtterance = 20 * Recording.rate
  private static let block = 2048
  private static let framesPerSecond = 100.0

  init(_ options: Options) throws(WorkerFault) {
    try options.check()
    // Its log is only useful for developers of models.
    err_set_logfp(nil)
    var settings = ["-hmm", options.acousticModel, "-dict", options.dictionary]
    if options.caregiving == nil { settings += ["-lm", options.generalModel] }
    // The library copies the strings, which live as long as the process.
    var arguments = unsafe settings.map { unsafe strdup($0) }
    guard let configuration = unsafe cmd_ln_parse_r(nil, ps_args(), Int32(arguments.count), &arguments, 1),
      let decoder = unsafe ps_init(configuration)
    else { throw .unavailable("the models in \(options.model) cannot be loaded") }
    unsafe self.decoder = unsafe decoder
    self.version = options.caregiving == nil ? "5prealpha" : "5prealpha, caregiving"
    if let caregiving = options.caregiving {
      try unsafe self.mix(options.generalModel, caregiving, options.weight, configuration)
    }
  }

  /// Searches with the weighted mean of two language models. The caregiving model alone would turn any speech into
  /// plausible sentences about care.
  private func mix(
    _ general: String, _ caregiving: String, _ weight: Float, _ configuration: OpaquePointer
  ) throws(WorkerFault) {
    // All handles are valid until the process ends.
    let logarithms = unsafe ps_get_logmath(self.decoder)
    var models = unsafe [OpaquePointer?]()
    for path in [general, caregiving] {
      guard let model = unsafe ngram_model_read(configuration, path, NGRAM_AUTO, logarithms) else {
        throw .unavailable("\(path) is not a language model")
      }
      unsafe models.append(model)
    }
    var names = unsafe [strdup("general"), strdup("caregiving")]
    let weights = [1 - weight, weight]
    guard let set = unsafe ngram_model_set_init(configuration, &models, &names, weights, 2) else {
      throw .unavailable("\(general) and \(caregiving) cannot be mixed")
    }
    unsafe ngram_model_set_interp(set, nil, nil)
    guard unsafe ps_set_lm(self.decoder, "mixed", set) == 0, unsafe ps_set_search(self.decoder, "mixed") == 0 else {
      throw .failed("the mixed language model cannot be searched")
    }
  }

  /// Decodes a whole recording.
  func transcribe(_ recording: Recording) throws(WorkerFault) -> Transcript {
    var transcript = Transcript(duration: recording.duration)
    let samples = recording.samples
    guard unsafe ps_start_stream(self.decoder) == 0, unsafe ps_start_utt(self.decoder) == 0 else {
      throw .failed("decoding cannot be started")
    }
    var (position, begun) = (0, 0)
    while position < samples.count {
      let count = min(Self.block, samples.count - position)
      // There are `count` samples from `position` on.
      let result = unsafe samples.withUnsafeBufferPointer { buffer in
        unsafe ps_process_raw(self.decoder, buffer.baseAddress?.advanced(by: position), count, 0, 0)
      }
      guard result >= 0 else { throw .failed("decoding stopped at \(position / Recording.rate) seconds") }
      position += count
      if position - begun >= Self.longUtterance, unsafe ps_get_in_speech(self.decoder) == 0 {
        try self.endUtterance(&transcript)
        guard unsafe ps_start_utt(self.decoder) == 0 else { throw .failed("decoding cannot go on") }
        begun = position
      }
    }
    try self.endUtterance(&transcript)
    return transcript
  }

  private func endUtterance(_ transcript: inout Transcript) throws(WorkerFault) {
    guard unsafe ps_end_utt(self.decoder) == 0 else { throw .failed("decoding cannot be ended") }
    // The string belongs to the decoder until the next utterance, and is copied here.
    guard let hypothesis = unsafe ps_get_hyp(self.decoder, nil), case let text = unsafe String(cString: hypothesis),
      !text.isEmpty
    else { return }
    var frames: (first: Int32, last: Int32)?
    var segment = unsafe ps_seg_iter(self.decoder)
    while let word = unsafe segment {
      // Silence and noise are in brackets.
      let spelling = unsafe String(cString: ps_seg_word(word))
      if !spelling.hasPrefix("<"), !spelling.hasPrefix("[") {
        var (first, last) = (Int32(0), Int32(0))
        unsafe ps_seg_frames(word, &first, &last)
        frames = (frames?.first ?? first, last)
        let posterior = unsafe logmath_exp(ps_get_logmath(self.decoder), ps_seg_prob(word, nil, nil, nil))
        transcript.posteriors.append(min(1, posterior))
      }
      unsafe segment = unsafe ps_seg_next(word)
    }
    let start = Double(frames?.first ?? 0) / Self.framesPerSecond
    let end = Double((frames?.last ?? 0) + 1) / Self.framesPerSecond
    transcript.segments.append(
      Transcript.Segment(start: min(start, transcript.duration), end: min(end, transcript.duration), text: text))
  }
}
