import { programs } from "../formats/commands/known-programs.ts"
import { commandsIn } from "./commands-in.ts"
import { deedsIn } from "./deeds-in.ts"
import type { CommandPattern, GuardTrigger } from "./match-guards.ts"
import { matchesCommand } from "./matches-command.ts"
import { programsIn } from "./programs-in.ts"
import type { Prohibition } from "./read-prohibitions.ts"

/**
 * The patterns by which a tool call shows that it does what is forbidden; undefined if the sentence gives no certain
 * pattern.
 */
export function triggersOf({ sentence, verb, object, ...prohibition }: Prohibition): GuardTrigger | undefined {
  const unless = exceptionsIn(prohibition.unless)
  const paths = pathsAt(object)
  const named = runs.test(verb) ? commandsIn(object).filter((pattern) => !isFavoured(pattern, sentence, object)) : []
  const commands = [...deedsIn(verb, object), ...named, ...onPaths(verb, paths)]
  const names = brings.test(verb) ? namesIn(object) : []
  const found: GuardTrigger = {
    commands: commands.map((pattern) => (unless.length === 0 ? pattern : { ...pattern, unless })),
    paths: edits.test(verb) ? paths : [],
    names,
    packages: brings.test(verb) ? packagesIn(object) : [],
  }
  if (Object.values(found).every((list) => list.length === 0)) return undefined
  const within = names.length > 0 ? folderIn(object) : undefined
  return within === undefined ? found : { ...found, within }
}

/** For "`uv run x`, never plain `x`" a call does not show which one is meant. */
function isFavoured(pattern: CommandPattern, sentence: string, object: string): boolean {
  const others = codeIn(sentence).filter((code) => !object.includes(code))
  return others.flatMap(programsIn).some((program) => matchesCommand(pattern, program))
}

const runs =
  /^(?:run|runs|running|use|uses|using|used|execut\w+|call|calling|called|invok\w+|start|type|pass|passing|passed|try|do|add|install|installing)$/
const edits =
  /^(?:edit|modif|chang|touch|updat|alter|overwrit|rewrit|hand-edit|reformat|format|renam|refactor|writ|creat)\w*$/
const commits = /^(?:commit|stag|track)\w*$/
const deletes = /^(?:delet|remov)\w*$/
const brings =
  /^(?:use|uses|using|used|import\w*|add|adding|added|introduc\w+|call|calling|called|writ\w+|depend\w*|includ\w+|install\w*|requir\w+|leav\w+)$/

function onPaths(verb: string, paths: readonly string[]): CommandPattern[] {
  if (commits.test(verb)) return paths.map((path) => ({ words: ["git", "add", path] }))
  if (!deletes.test(verb)) return []
  return paths.flatMap((path) => [{ words: ["rm", path] }, { words: ["git", "rm", path] }])
}

/** Files and folders that are themselves the object: "the files in `dist/`", but not "the API in `src/api.ts`". */
function pathsAt(object: string): string[] {
  const found: string[] = []
  for (const word of object.match(/`[^`]*`|[^\s,()"']+/g) ?? []) {
    const path = pathOf(word.replace(/^`|`$/g, ""))
    if (path !== undefined) found.push(path)
    else if (!filler.test(word)) break
  }
  return found
}

/** A path without the folder suffix: "dist" for `dist/` and `dist/**`. */
function pathOf(word: string): string | undefined {
  const plain = word.replace(/^\.\//, "")
  const path = plain.replace(/(?:\/\*{1,2})+$|[/.,:]+$/g, "")
  return isPath(path) || folderForm.test(plain) ? path : undefined
}

const folderForm = /^[@.]?\w[\w@.-]+\/\*{0,2}[.,:]*$/

const filler =
  /^(?:to|the|any|all|anything|everything|files?|folders?|code|contents?|generated|vendored|checked-in|existing|in|under|of|inside|below|within|or|and|our|a|an)$/i

function isPath(word: string): boolean {
  const stars = word.split("*").length - 1
  return word.length > 2 && stars <= 3 && !/^\*+$|^https?:|^@/.test(word) && pathForm.test(word)
}

/** A path with a slash, a file with an extension, or a well-known dot file. */
const pathForm =
  /^(?:[\w@.*-]+\/)+[\w@.*-]*$|^[\w*-][\w.*-]*\.(?:lock|json|ya?ml|toml|mdx?|[cm]?[jt]sx?|py|go|rs|cs|csproj|sln|java|kt|rb|php|sql|sh|ps1|html|s?css|proto|xml|txt|snap)$|^\.(?:env|npmrc|gitignore|gitattributes|editorconfig|github|squad|vscode|husky)[\w.*-]*$/

/** Identifiers in code: `console.log`, `@ts-ignore`, `eval()`. */
function namesIn(object: string): string[] {
  return codeIn(object)
    .filter((code) => nameForm.test(code) && code.length > 2 && !programs.has(code) && !isPath(code))
    .map((code) => code.replace(/\(\)$/, "("))
}

const nameForm = /^[@#$]?[A-Za-z_$][\w$]*(?:(?:\.|::|->|-)[\w$]+)*(?:\(\))?$/

/**
 * A package in code; in plain text only if the object is this one word: "use dayjs instead of moment". "New
 * dependencies" matches all.
 */
function packagesIn(object: string): string[] {
  if (
    /^(?:(?:new|any|more|extra|additional|third-party|external|runtime|npm) )*(?:dependenc(?:y|ies)|packages|libraries)$/i.test(
      object,
    )
  )
    return ["*"]
  const word = /^[A-Za-z][\w.-]{2,}$/.test(object) && !littleWords.test(object) ? [object.toLowerCase()] : []
  return [...codeIn(object), ...word].filter((name) => packageForm.test(name) && !programs.has(name))
}

const littleWords = /^(?:the|this|that|these|those|them|one|any|all|both|new|old|just|only|ever)$/i
const packageForm = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]+$/

/** "… in `src/api`". */
function folderIn(object: string): string | undefined {
  const [, code, plain] =
    /\b(?:in|under|inside|within|below) (?:the )?(?:`([^`]+)`|([\w@.-]+\/[\w@./-]*))/.exec(object) ?? []
  return pathOf(code ?? plain ?? "")
}

/**
 * Flags, variables and places that make a call acceptable; a whole command refers to an earlier step, which a call does
 * not show.
 */
function exceptionsIn(unless: string): string[] {
  const folder = /^(?:of )?(?:the |a |your )?([\w.-]+(?:\/[\w.-]+)*)\/? (?:folder|directory)\b/i.exec(unless)?.[1]
  const words = codeIn(unless).filter((code) => !/\s/.test(code) && !programs.has(code))
  return [...words, ...(folder === undefined ? [] : [folder])].map((word) =>
    word.replace(/^\.\//, "").replace(/\/+$/, ""),
  )
}

function codeIn(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, code = ""]) => code.trim()).filter((code) => code !== "")
}
