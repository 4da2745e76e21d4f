extension DatabaseView {
  /// The entries of care.
  public var care: CareTable<Self> { CareTable(view: self) }
  /// The sound that waits to be transcribed.
  public var careAudio: CareAudioTable<Self> { CareAudioTable(view: self) }
}
