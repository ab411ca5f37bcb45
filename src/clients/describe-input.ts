import { type JsonObject, objectOf, textOf } from "./json-value.ts"

/** The command lines that a call passes to a shell, under the clients' various key names. */
export function commandsOf(input: JsonObject): string[] {
  const listed = Array.isArray(input.commands) ? input.commands : [input.command ?? input.cmd ?? input.CommandLine]
  return listed.flatMap((each) => textOf(each) ?? textOf(objectOf(each)?.command) ?? [])
}

/** The files that a call reads or changes, as the client wrote them; for a patch, from its text. */
export function filesOf(input: JsonObject): string[] {
  const named = fileKeys.flatMap((key) => textOf(input[key]) ?? [])
  const listed = Array.isArray(input.files) ? input.files : Array.isArray(input.paths) ? input.paths : []
  const several = listed.flatMap((each) => textOf(each) ?? textOf(objectOf(each)?.path) ?? [])
  const patched = [...(textOf(input.input) ?? textOf(input.patch) ?? "").matchAll(patchedFile)].map(
    ([, path = ""]) => path,
  )
  return [...new Set([...named, ...several, ...patched])]
}

const fileKeys = [
  "path",
  "filePath",
  "file_path",
  "target_file",
  "targetFile",
  "relativeWorkspacePath",
  "notebook_path",
  "TargetFile",
  "AbsolutePath",
]

const patchedFile = /^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$/gm
