import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// Turns the services of `proto/` into the method table (`--kith_opt=swift`) or the service reference
/// (`--kith_opt=markdown`).
@main
struct Generator: CodeGenerator {
  var supportedFeatures: [Google_Protobuf_Compiler_CodeGeneratorResponse.Feature] { [.proto3Optional] }
  var customOptionExtensions: [any AnyMessageExtension] { [Kith_V1_Extensions_rules] }
  var version: String? { nil }
  var projectURL: String? { nil }
  var copyrightLine: String? { nil }

  func generate(
    files: [FileDescriptor], parameter: any CodeGeneratorParameter, protoCompilerContext: any ProtoCompilerContext,
    generatorOutputs: any GeneratorOutputs
  ) throws {
    let methods = try files.flatMap(\.services).flatMap(\.methods).map(MethodModel.init)
    switch parameter.parameter {
    case "swift":
      try generatorOutputs.add(fileName: "Methods.swift", contents: SwiftTable(methods: methods).text)
    case "markdown":
      try generatorOutputs.add(
        fileName: "services.md", contents: ServiceReference(methods: methods, files: files).text)
    default:
      throw GeneratorError(description: "--kith_opt must be swift or markdown, not '\(parameter.parameter)'")
    }
  }
}

struct GeneratorError: Error, CustomStringConvertible {
  let description: String
}
