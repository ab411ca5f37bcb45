import {
  everydayPrograms,
  plainPrograms,
  programOf,
  programs,
  splitCommand,
  unwrapCommands,
} from "../../formats/shell-command.ts"
import { type CommandPattern, type GuardTrigger, matchesCommand, programsIn, scriptOf } from "./guard-match.ts"
import type { Prohibition } from "./prohibitions.ts"

/** The patterns of tool calls that do what is forbidden; undefined if the sentence gives no certain pattern. */
export function triggersOf({ sentence, verb, object, ...prohibition }: Prohibition): GuardTrigger | undefined {
  const unless = exceptionsIn(prohibition.unless)
  const paths = pathsAt(object)
  const named = runs.test(verb) ? commandsIn(object).filter((pattern) => !isFavoured(pattern, sentence, object)) : []
  const commands = [...wellKnownCommandsIn(verb, object), ...named, ...onPaths(verb, paths)]
  const names = brings.test(verb) ? namesIn(object) : []
  const found: GuardTrigger = {
    commands: commands.map((pattern) =>
      unless.length === 0 ? pattern : { ...pattern, unless: [...(pattern.unless ?? []), ...unless] },
    ),
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
  return others.flatMap((code) => programsIn(code)).some((program) => matchesCommand(pattern, program))
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
  const found: string[] = folderNamed.exec(object)?.slice(1) ?? []
  for (const word of object.match(/`[^`]*`|[^\s,()"']+/g) ?? []) {
    const path = pathOf(word.replace(/^`|`$/g, ""))
    if (path !== undefined) found.push(path)
    else if (!filler.test(word)) break
  }
  return found
}

/** "The migrations folder", without a path. */
const folderNamed =
  /^(?:(?:any|the|our|files|anything|everything|in|under|inside|of) )*([\w@.-]{3,}) (?:folder|directory)$/i

/** A path without the folder suffix: "dist" for `dist/` and `dist/**`. */
function pathOf(word: string): string | undefined {
  const plain = word.replace(/^\.\//, "")
  const path = plain.replace(/(?:\/\*{1,2})+$|[/.,:]+$/g, "")
  return isPath(path) || folderForm.test(plain) ? path : undefined
}

const folderForm = /^[@.]?\w[\w@.-]+\/\*{0,2}[.,:]*$/

const filler =
  /^(?:to|the|any|all|anything|everything|files?|folders?|code|contents?|generated|vendored|checked-in|existing|migrations|fixtures|snapshots|tests?|types|sources?|lock ?file|lock|manifest|config(?:uration)?|schema|in|under|of|inside|below|within|or|and|our|a|an)$/i

function isPath(word: string): boolean {
  const stars = word.split("*").length - 1
  return word.length > 2 && stars <= 3 && !/^\*+$|^https?:|^@/.test(word) && pathForm.test(word)
}

/** A path with a slash, a file with an extension, or a well-known dot file. */
const pathForm =
  /^(?:[\w@.*-]+\/)+[\w@.*-]*$|^[\w*-][\w.*-]*\.(?:lock|json|ya?ml|toml|mdx?|[cm]?[jt]sx?|py|go|rs|cs|csproj|sln|java|kt|rb|php|sql|sh|ps1|html|s?css|proto|prisma|graphql|tf|tfvars|gradle|swift|vue|svelte|ipynb|ini|c|h|cpp|xml|txt|snap)$|^\.(?:env|npmrc|gitignore|gitattributes|editorconfig|github|squad|vscode|husky)[\w.*-]*$/

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

/** The commands that a part of a sentence names: in code, or in plain text by an unambiguous program name. */
export function commandsIn(object: string): CommandPattern[] {
  const spans = Array.from(object.matchAll(/`([^`]+)`/g), ([, code = ""]) => code)
  const flags = spans.filter((span) => /^--?[A-Za-z][\w-]*$/.test(span))
  const named = [...spans.flatMap(patternOf), ...plainCommands(object.replace(/`[^`]*`/g, " , "))]
  const patterns = named.map((words) => (flags.length === 0 ? words : [...words, ...flags]))
  const distinctive = named.length > 0 ? [] : flags.filter((flag) => flag.length > 8).map((flag) => ["*", flag])
  return [...patterns, ...distinctive]
    .filter(isTelling)
    .flatMap(alike)
    .map((words) => ({ words }))
}

/** The words of a command in code; empty if it is not a command. Placeholders (`<name>`, `…`, `$X`) are dropped. */
export function patternOf(code: string): string[][] {
  const [command = splitCommand(code)[0], ...others] = unwrapCommands(code)
  const written = command?.words ?? []
  const [words] = [...scriptOf(written), written]
  if (words === undefined || others.length > 0 || !isProgram(words)) return []
  return [[programOf(words), ...words.slice(1).map(plainWord).filter(isMeant)]]
}

function isProgram(words: readonly string[]): boolean {
  return programs.has(programOf(words)) || /^(?:\.{0,2}\/)?[\w./-]+\.(?:sh|ps1|mjs|py)$/.test(words[0] ?? "")
}

function plainWord(word: string): string {
  return word.replace(/^\.\//, "").replace(/\/+$/, "")
}

function isMeant(word: string): boolean {
  return word !== "" && word !== "--" && !/^(?:[<[{$].*|.*…|\.\.\.|\*|[A-Z_]{2,})$/.test(word)
}

/** A program in plain text, with the flags and subcommands after it: "use git push --force on …". */
function plainCommands(text: string): string[][] {
  const words = text.split(/\s+/).map((word) => word.replace(/[,.:;!?)"']+$/, "").toLowerCase())
  return words.flatMap((word, at) => {
    if (!plainPrograms.has(word)) return []
    const rest = words.slice(at + 1)
    const end = rest.findIndex((each) => !subcommands.has(each) && !/^--?[a-z]/i.test(each))
    return [[word, ...rest.slice(0, end === -1 ? undefined : end)]]
  })
}

const subcommands = new Set(
  "push commit merge rebase reset clean checkout stash cherry-pick add publish install ci run test build start audit fix exec apply destroy delete prune compose up down system login migrate deploy upload upgrade update uninstall remove link".split(
    " ",
  ),
)

/** An everyday program is specific only with more than a common subcommand. */
function isTelling(words: readonly string[]): boolean {
  const [name = "", ...rest] = words
  if (everydayPrograms.has(name))
    return rest.length > 1 || (rest.length === 1 && !everydaySubcommands.has(rest[0] ?? ""))
  return true
}

const everydaySubcommands = new Set(
  "add commit push pull status diff log show checkout fetch branch -c -m -e".split(" "),
)

/** Equivalent spellings. */
function alike(words: string[]): string[][] {
  const line = words.join(" ")
  const found = spellings.find(([spelling]) => line === spelling || line.startsWith(`${spelling} `))
  if (!found) return [words]
  const rest = words.slice(found[0].split(" ").length)
  return [words, ...found[1].map((spelling) => [...spelling.split(" "), ...rest])]
}

const spellings: [string, string[]][] = [
  ["git push --force", ["git push -f"]],
  ["git push -f", ["git push --force"]],
  ["git commit --no-verify", ["git commit -n"]],
  ["rm -rf", ["rm --recursive --force"]],
  ["npm install", ["npm i"]],
  ["npm test", ["npm t", "npm run test"]],
  ["docker compose", ["docker-compose"]],
  ["docker-compose", ["docker compose"]],
  ["pip install", ["pip3 install"]],
]

/** What is forbidden in plain words and done by well-known commands: "force-push", "publish packages", "skip the hooks". */
function wellKnownCommandsIn(verb: string, object: string): CommandPattern[] {
  const clause = object.replace(/`/g, "").replace(/\s*[,;].*$/, "")
  const deed = `${verb} ${clause}`.trim().replace(/^use (?=push|commit|merg|rebas|amend|deploy|publish)/i, "")
  const others = wellKnownCommands
    .filter(([form]) => form.test(deed))
    .flatMap(([, lines]) => lines.map((line) => ({ words: line.split(" "), ...harmless[line] })))
  return [...onBranches(deed), ...others]
}

/** What these commands do besides what is forbidden. */
const harmless: Record<string, Pick<CommandPattern, "unless">> = {
  "git tag *": { unless: "-l --list --contains --no-contains --points-at --merged --no-merged -v".split(" ") },
  "git rebase": { unless: ["--abort", "--quit"] },
  "git stash": { unless: ["list", "show"] },
}

/** "Commit to main" is done by a push of main, and by whatever adds to it while it is checked out. */
function onBranches(deed: string): CommandPattern[] {
  const [, verb = "", named = ""] = toBranch.exec(deed) ?? []
  const branches = (named.toLowerCase().match(/[a-z]+/g) ?? []).filter((name) => name !== "or" && name !== "and")
  if (branches.length === 0) return []
  const there: string[] = /^push/i.test(verb) ? ["push"] : /^merg/i.test(verb) ? ["push", "merge"] : ["push", "commit"]
  return [
    ...branches.map((branch) => ({ words: ["git", "push", branch] })),
    ...there.map((subcommand) => ({ words: ["git", subcommand], branches })),
  ]
}

const toBranch =
  /^((?:push|commit|merg)\w*|directly)(?: .{0,40}?)??(?:(?: |^)(?:directly ))?(?: ?)(?:to|into|on|in|against) (?:the )?((?:main|master|trunk|develop|dev|production|release)(?:(?:\/| or | and )(?:the )?(?:main|master|develop|release))?)(?: branch(?:es)?)?(?=$|[,.;:!]| (?:directly|yourself|ever|without|via|by|from|at|again)\b)/i

const wellKnownCommands: [RegExp, string[]][] = [
  [/^force[- ]?push|\bforce[- ]push/i, ["git push --force", "git push -f"]],
  [/^amend/i, ["git commit --amend"]],
  [/^rebas\w*/i, ["git rebase"]],
  [/^stash\w*/i, ["git stash"]],
  [/^(?:hard[- ]reset|reset\w* (?:\w+ )?(?:--)?hard)\b/i, ["git reset --hard"]],
  [
    /^delet\w* (?:the |any |a |our |my |git |local |remote |old |merged )*branch(?:es)?\b/i,
    ["git branch -D", "git branch -d", "git branch --delete", "git push --delete"],
  ],
  [
    /^(?:tag\w*|(?:creat|push|mak|mov)\w* (?:a |any |new |git |release )*tags?)(?: (?:anything|releases?|versions?|commits?|yourself|the|a|any|your|own))*$/i,
    ["git tag *", "git push --tags"],
  ],
  [
    /^install\w* (?:anything |any |things? |packages? |tools? |dependenc(?:y|ies) |stuff )*global(?:ly)?$/i,
    [
      "npm install -g",
      "npm i -g",
      "npm install --global",
      "pnpm add -g",
      "pnpm add --global",
      "yarn global add",
      "bun add -g",
    ],
  ],
  [
    /^push\w*(?: (?:anything|any|code|changes|commits|branch(?:es)?|your|my|our|work|it|this|yourself|to|the|remotes?|origin|upstream|git ?hub|gitlab))*$/i,
    ["git push"],
  ],
  [
    /^(?:commit\w*|(?:creat|mak)\w* (?:a |any |new |git )*commits?)(?: (?:anything|any|code|changes|your|my|work|it|this|yourself|files))*$/i,
    ["git commit"],
  ],
  [/(?<![\w-])--no-verify\b/i, ["git commit --no-verify", "git commit -n", "git push --no-verify"]],
  [/^merg\w* (?:a |the |any |open )*(?:PRs?|pull requests?)\b(?! #?\d)/i, ["gh pr merge"]],
  [/^(?:tag|publish|cut|create)\w*\b.{0,20}\breleases?$/i, ["gh release create"]],
  [
    /^(?:skip|bypass|disabl)\w* (?:the |git |our |any )*(?:pre-commit|commit|git|husky)? ?hooks?\b/i,
    ["git commit --no-verify", "git commit -n", "git push --no-verify"],
  ],
  [
    /^(?:publish|releas)\w*(?: (?:the |a |any |new |our )*(?:npm |python |rust )?(?:packages?|librar(?:y|ies)|crates?|gems?|modules?|versions?|to (?:npm|pypi|crates\.io)))?(?: (?:by hand|manually|yourself|directly|locally))?$/i,
    [
      "npm publish",
      "pnpm publish",
      "yarn publish",
      "yarn npm publish",
      "bun publish",
      "cargo publish",
      "twine upload",
      "uv publish",
      "poetry publish",
      "gem push",
      "dotnet nuget push",
    ],
  ],
  [
    /^deploy\w*(?: (?:to|into|the|on|by|from|anything|manually|directly|yourself)\b.*)?$/i,
    [
      "npm run deploy",
      "pnpm deploy",
      "pnpm run deploy",
      "yarn deploy",
      "make deploy",
      "vercel deploy",
      "vercel --prod",
      "fly deploy",
      "flyctl deploy",
      "firebase deploy",
      "wrangler deploy",
      "netlify deploy",
      "serverless deploy",
      "cdk deploy",
      "terraform apply",
      "deploy.sh",
    ],
  ],
  [
    /^(?:drop|delet|wip|eras|truncat|reset)\w* (?:the |any |our |production )*(?:database|db|tables?|schema)s?\b/i,
    ["dropdb", "prisma migrate reset", "rails db:drop", "rake db:drop", "rails db:reset", "supabase db reset"],
  ],
  [
    /^(?:run\w*|apply\w*) (?:the |any |database |db |new )*migrations?(?: (?:by hand|manually|yourself|locally|directly)|$)/i,
    [
      "prisma migrate",
      "alembic upgrade",
      "rails db:migrate",
      "manage.py migrate",
      "knex migrate:latest",
      "sequelize db:migrate",
      "dotnet ef database update",
      "flyway migrate",
    ],
  ],
]
