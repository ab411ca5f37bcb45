import type { PlanItem, ToolAction, ToolCall } from "../formats/client-events.ts"
import { plainPrograms } from "../formats/shell-command.ts"

import { type JsonObject, objectOf, objectsOf, parseObject, textOf } from "./json-value.ts"

/** What a tool does, by any client's name for it; tools of MCP servers and unknown ones are `other`. */
export function toolAction(name: string): ToolAction {
  return actions.get(spellingOf(name)) ?? "other"
}

/** `run_shell_command`, `runShellCommand` and `copilot_runShellCommand` are the same name. */
function spellingOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^copilot_/, "")
    .replace(/[_.-]/g, "")
}

const names: Record<Exclude<ToolAction, "other">, string> = {
  run: `bash powershell shell localshell localshellcall shellcommand execute execcommand unifiedexec containerexec writestdin
    runshellcommand runcommand runcommands runterminalcmd runterminalcommand runterminalcommandv2 runinterminal executecommand
    getterminaloutput commandstatus bashoutput taskoutput writebash readbash writepowershell readpowershell
    runtask createandruntask runtests executebash executepwsh`,
  edit: `edit multiedit write notebookedit applypatch patch replace writefile create createfile editfile editfilev2 editor strreplace
    strreplaceeditor strreplacebasededittool searchreplace writetofile writetocode replaceinfile replacestringinfile replacestring multireplacestring insertedit
    multireplacestringinfile inserteditintofile editnotebook editnotebookfile applydiff insertcontent proposecode replacefilecontent
    multireplacefilecontent replacestring multireplacestring insertedit vscodeeditfileinternal deletefile delete fswrite fsappend`,
  read: `read view readfile readfilev2 readfiles readmanyfiles notebookread ls list listdir listdirv2 listdirectory listfiles
    listcodedefinitionnames viewfile viewfileoutline viewcodeitem viewimage webfetch fetch fetchwebpage readurlcontent readlints
    geterrors getchangedfiles fetchurl fsread readmultiplefiles`,
  search: `grep glob find rg ripgrep grepsearch ripgreprawsearch searchfilecontent searchfiles filesearch globfilesearch findbyname findfiles
    findtextinfiles codebasesearch semanticsearch semanticsearchfull codesearch searchcodebase searchcode searchworkspacesymbols
    listcodeusages websearch searchweb googlewebsearch toolsearch toolsearchcall`,
  ask: `askuserquestion askuser askquestion askquestions askfollowupquestion question requestuserinput exitplanmode planmoderespond
    planexit exitspecmode askuserquestions`,
}

const actions = new Map(
  Object.entries(names).flatMap(([action, list]) =>
    list.split(/\s+/).map((name) => [name, action as ToolAction] as const),
  ),
)

const ourServer = "drey"

/**
 * Whether a tool is one of Drey's own, in any client's naming of MCP tools: `mcp__drey__x`, `mcp_drey_x`, `drey-x`,
 * `drey_x`, `drey__x`, a plugin's `mcp__plugin_p_drey__x`, or the plain name with its server or namespace.
 */
export function isOwnTool(name: string, server?: string): boolean {
  return isOurs.test(name) || (server !== undefined && (server === ourServer || isOurs.test(`${server}__`)))
}

const isOurs = new RegExp(`^(?:mcp__?(?:plugin_[\\w.-]{1,64}_)?)?${ourServer}[_-]`)

/** Whether a command line only queries Drey: its output was in memory before. */
export function isOwnCommand(command: string): boolean {
  const match = ownCommand.exec(command)
  return match !== null && !/&&|[;\n]/.test(command.slice(match[0].length))
}

const ownCommand = new RegExp(
  `^\\s{0,20}(?:cd\\s[^;&|\\n]{1,300}&&\\s{0,20})?(?:npx\\s{1,9}(?:-[\\w-]{1,20}\\s{1,9}){0,3})?${ourServer}(?=\\s|$)`,
)

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
  const patched = [
    ...(textOf(input.input) ?? textOf(input.patch) ?? textOf(input.patchText) ?? "").matchAll(patchedFile),
  ].map(([, path = ""]) => path)
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

const planTools = /^(?:todowrite|updateplan|writetodos|managetodolist|updatetodolist|todolist)$/
const mostSteps = 40
const longestStep = 300

/** The whole plan that a call sets; undefined for any other tool. */
export function planOf(tool: string, input: JsonObject): PlanItem[] | undefined {
  if (!planTools.test(spellingOf(tool))) return undefined
  const listed = [input.todos, input.plan, input.todoList, input.items].map(objectsOf).find((list) => list.length > 0)
  const items = listed?.flatMap((item) => {
    const step = [item.content, item.step, item.description, item.title, item.task].map(textOf).find(Boolean)
    return step === undefined ? [] : [{ step: step.slice(0, longestStep), status: stepStatus(textOf(item.status)) }]
  })
  return items === undefined || items.length === 0 ? undefined : items.slice(0, mostSteps)
}

function stepStatus(written = ""): PlanItem["status"] {
  if (/^(?:completed?|done)$/i.test(written)) return "complete"
  return /^in[-_ ]?progress$/i.test(written) ? "in_progress" : "pending"
}

const longestText = 4000

/** A call as guards match it; undefined for one that changes and runs nothing, and for Drey's own tools. */
export function readToolCall(tool: unknown, input: unknown): ToolCall | undefined {
  const name = textOf(tool)
  if (name === undefined || isOwnTool(name)) return undefined
  const given = parseObject(input) ?? {}
  const action = toolAction(name)
  if (action === "read" || action === "search" || action === "ask") return undefined
  const patch = patchIn(given) ?? (textOf(input)?.startsWith(patchStart) ? textOf(input) : undefined)
  if (patch !== undefined) return { tool: name, command: undefined, paths: filesOf({ patch }), text: cut(patch) }
  const named = action === "edit" ? [] : commandsOf(given)
  const commands = named.length === 0 && action === "other" ? commandsIn(name, given) : named
  return {
    tool: name,
    command: commands.length === 0 ? undefined : commands.join("\n"),
    paths: commands.length > 0 ? [] : filesOf(given),
    text: newText(given),
  }
}

/** The shell command that an MCP tool named after a program stands for: `mcp__git__git_push`, `docker_run`. */
function commandsIn(tool: string, input: JsonObject): string[] {
  const [program = "", ...subcommand] = (tool.split("__").at(-1) ?? "").toLowerCase().split(/[_-]/)
  if (subcommand.length === 0 || !plainPrograms.has(program)) return []
  const values = Object.values(input).flatMap((value) => {
    const text = textOf(value)
    return text === undefined || text.length > 200 || text.includes("\n") ? [] : [text]
  })
  return [[program, ...subcommand, ...values].join(" ")]
}

const patchStart = "*** Begin Patch"

/** Codex passes a patch as the command of a tool. */
function patchIn({ command, input, patch }: JsonObject): string | undefined {
  return [command, input, patch].map(textOf).find((each) => each?.trimStart().startsWith(patchStart))
}

const textKeys =
  "new_string newString new_str newText new_source content contents file_text text code_edit CodeContent".split(" ")

function newText(input: JsonObject): string | undefined {
  const places = [input, ...objectsOf(input.edits), ...objectsOf(input.replacements)]
  const texts = places.flatMap((place) => textKeys.flatMap((key) => textOf(place[key]) ?? []))
  return texts.length === 0 ? undefined : cut(texts.join("\n"))
}

function cut(text: string): string {
  return text.slice(0, longestText)
}
