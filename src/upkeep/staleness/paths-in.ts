import type { PathName } from "./name.ts"

type Found = PathName & { text: string }

/** The paths in a code span; a bare file name only if it can be nothing else. */
export function pathsInCode(code: string): Found[] {
  const words = code.split(/[\s"'()[\],;|&=]+/).filter(Boolean)
  return words.flatMap((word) => {
    const path = readPath(word)
    if (path === undefined) return []
    if (path.includes("/")) return [{ kind: "path" as const, text: word, path, isSure: hasExtension(path) }]
    const isFile = isFileName(path)
    return isFile || /[/\\]$/.test(word) ? [{ kind: "path" as const, text: word, path, isSure: isFile }] : []
  })
}

/** The paths in prose: with a slash and a file extension. */
export function pathsInProse(sentence: string): Found[] {
  const words = sentence.split(/[\s"'()[\],;|*]+/).filter((word) => /[/\\]/.test(word))
  return words.flatMap((word) => {
    const path = readPath(word)
    if (path === undefined || !path.includes("/") || !hasExtension(path)) return []
    return [{ kind: "path" as const, text: word.replace(/[.:]+$/, ""), path, isSure: true }]
  })
}

const longestPath = 240

/**
 * The path in a word, without a trailing line number; undefined for URLs, patterns, and paths outside of the
 * repository.
 */
function readPath(word: string): string | undefined {
  if (word.length > longestPath || /:\/\/|[<>{}*?$%~^`…]|\.{3}|^@|^#|^-/u.test(word)) return undefined
  const path = word
    .replace(/(?:#L\d.*|:\d+(?:[-:]\d+)*)$/, "")
    .replace(/[.:,]+$/, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/+$/, "")
  const parts = path.split("/")
  const isPath = path !== "" && parts.every((part) => /^[\p{L}\p{N}\p{M}_.@+-]+$/u.test(part) && part !== "..")
  return isPath && !isAddress(parts) ? path : undefined // an absolute path begins with an empty part
}

/** `example.com/docs`. */
function isAddress([first = "", ...others]: string[]): boolean {
  return others.length > 0 && /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|gov|edu|sh|rs)$/i.test(first)
}

const endings =
  "adoc astro bash bat bicep c cc cfg cjs cmake cmd conf cpp cs cshtml csproj css cts cxx dart dockerfile ejs elm env erb ex exs fs fsproj gradle go graphql h handlebars hbs hpp hs html ini ipynb java jinja jl js json json5 jsonc jsonl jsx kt kts less lock lua m md mdx mjs mm mts nix php pl plist prisma props proto ps1 psm1 py pyi r razor rb resx rs rst sass scala scss sh sln slnx sql svelte svg swift targets tf tfvars toml ts tsx txt vb vbproj vue xaml xml yaml yml zig zsh"
const knownEndings = new Set(endings.split(" "))
const wholeNames = /^(?:Makefile|Dockerfile|Justfile|justfile|Procfile|Gemfile|Rakefile|Jenkinsfile|Taskfile\.yml)$/

function hasExtension(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return wholeNames.test(name) || (/[^.]\.\w+$/.test(name) && knownEndings.has(endingOf(name)))
}

/** `console.log` and `example.com` also contain a dot. */
function isFileName(name: string): boolean {
  return wholeNames.test(name) || (/^[\w@][\w.@-]*\.\w+$/.test(name) && knownEndings.has(endingOf(name)))
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase()
}
