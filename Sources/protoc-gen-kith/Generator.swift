import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// Turns `proto/` into the tables of methods, records and fields (`--kith_opt=swift`), the schemas of the tools of assistants
/// (`--kith_opt=tools`), the service reference (`--kith_opt=markdown`) or the description of the API (`--kith_opt=openapi`).
@main
struct Generator: CodeGenerator {
  var supportedFeatures: [Google_Protobuf_Compiler_CodeGeneratorResponse.Feature] { [.proto3Optional] }
  var customOptionExtensions: [any AnyMessageExtension] {
    [Kith_V1_Extensions_rules, Kith_V1_Extensions_field, Kith_V1_Extensions_record, Kith_V1_Extensions_checked]
  }
  var version: String? { nil }
  var projectURL: String? { nil }
  var copyrightLine: String? { nil }

  func generate(
    files: [FileDescriptor], parameter: any CodeGeneratorParameter, protoCompilerContext: any ProtoCompilerContext,
    generatorOutputs: any GeneratorOutputs
  ) throws {
    let methods = try files.flatMap(\.services).flatMap(\.methods).map(MethodModel.init)
    let messages = try MessageModel.all(of: files)
    switch parameter.parameter {
    case "swift":
      try generatorOutputs.add(fileName: "Methods.swift", contents: SwiftTable(methods: methods).text)
      try generatorOutputs.add(
        fileName: "Records.swift", contents: RecordTable(messages: messages, methods: methods).text)
      try generatorOutputs.add(fileName: "Choices.swift", contents: ChoiceTable(messages: messages).text)
    case "tools":
      try generatorOutputs.add(
        fileName: "ToolTable.swift", contents: ToolTable(methods: methods, messages: messages).text)
    case "markdown":
      try generatorOutputs.add(
        fileName: "services.md",
        contents: ServiceReference(methods: methods, messages: messages, files: files).text)
    case "openapi":
      try generatorOutputs.add(
        fileName: "openapi.json", contents: APIDescription(methods: methods, messages: messages, files: files).text)
    default:
      throw GeneratorError(
        description: "--kith_opt must be swift, tools, markdown or openapi, not '\(parameter.parameter)'")
    }
  }
}

struct GeneratorError: Error, CustomStringConvertible {
  let description: String
}
