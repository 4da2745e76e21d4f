internal import Bus
internal import Foundation
internal import TOMLKit
internal import Transcription

/// The configured engines, one section each:
///
/// ```toml
/// [transcription.pocketsphinx]          # the default without any section
/// languages = ["en"]
/// [transcription.whisper]
/// languages = ["ja", "en"]
/// program = "/usr/local/bin/whisper-cli"
/// model = "/srv/models/ggml-small.bin"
/// [transcription.whisper_server]
/// languages = ["ja"]
/// address = "http://127.0.0.1:18080"
/// [transcription.wyoming]
/// languages = ["ja"]
/// host = "homeassistant.local"
/// port = 10300
/// [transcription.command]
/// languages = ["fr"]
/// program = "/usr/local/bin/transcribe"
/// arguments = ["--fast"]
/// ```
struct TranscriptionConfiguration: Sendable, Hashable {
  private(set) var engines: [EngineSettings] = []

  /// The settings of the service; PocketSphinx if no engine is configured.
  ///
  /// - Parameters:
  ///   - programs: The directory of this program.
  ///   - scratch: A directory for recordings during transcription.
  func settings(programs: String, scratch: String) -> TranscriptionSettings {
    let installed = EngineSettings("pocketsphinx", languages: ["en"], .pocketSphinx(Self.pocketSphinx(programs)))
    return TranscriptionSettings(engines: self.engines.isEmpty ? [installed] : self.engines, directory: scratch)
  }

  /// Adds the engine of a section.
  ///
  /// - Returns: What is wrong with the section; nil if it is valid.
  mutating func add(_ name: String, _ value: (any TOMLValueConvertible)?, programs: String) -> String? {
    guard let table = value?.table else { return "transcription.\(name) has to be a section" }
    guard let section = Section(rawValue: name) else {
      let known = Section.allCases.map(\.rawValue).joined(separator: ", ")
      return "transcription.\(name) is not an engine; the engines are \(known)"
    }
    if let unknown = table.keys.first(where: { $0 != "languages" && !section.keys.contains($0) }) {
      return "transcription.\(name).\(unknown) is not a key of the configuration"
    }
    func text(_ key: String) -> String { table[key]?.string ?? "" }
    func texts(_ key: String) -> [String] { table[key]?.array?.compactMap { $0.string } ?? [] }
    guard !texts("languages").isEmpty else {
      return "transcription.\(name).languages has to be a list such as [\"en\", \"ja\"]"
    }
    let kind: EngineSettings.Kind
    switch section {
    case .pocketsphinx:
      var settings = Self.pocketSphinx(programs)
      if !text("model").isEmpty { settings.model = text("model") }
      if !text("caregiving").isEmpty { settings.caregiving = text("caregiving") }
      settings.weight = table["weight"]?.double ?? settings.weight
      kind = .pocketSphinx(settings)
    case .whisper:
      guard !text("program").isEmpty, !text("model").isEmpty else {
        return "transcription.whisper needs program and model"
      }
      kind = .whisper(WhisperSettings(program: text("program"), model: text("model"), prompt: text("prompt")))
    case .whisperServer:
      guard !text("address").isEmpty else { return "transcription.whisper_server needs address" }
      kind = .whisperServer(address: text("address"), prompt: text("prompt"))
    case .wyoming:
      guard !text("host").isEmpty else { return "transcription.wyoming needs host" }
      kind = .wyoming(host: text("host"), port: table["port"]?.int ?? 10_300)
    case .command:
      guard !text("program").isEmpty else { return "transcription.command needs program" }
      kind = .command(program: text("program"), arguments: texts("arguments"))
    }
    self.engines.append(EngineSettings(name, languages: texts("languages"), kind))
    return nil
  }

  /// The sections by their names.
  private enum Section: String, CaseIterable {
    case command, pocketsphinx, whisper
    case whisperServer = "whisper_server"
    case wyoming

    /// Its keys besides `languages`.
    var keys: Set<String> {
      switch self {
      case .pocketsphinx: ["model", "caregiving", "weight"]
      case .whisper: ["program", "model", "prompt"]
      case .whisperServer: ["address", "prompt"]
      case .wyoming: ["host", "port"]
      case .command: ["program", "arguments"]
      }
    }
  }

  private static func pocketSphinx(_ programs: String) -> PocketSphinxSettings {
    .beside(programs) { FileManager.default.fileExists(atPath: $0) }
  }
}
