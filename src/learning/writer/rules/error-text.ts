import { cleanMemoryText, clip } from "../../../formats/text.ts"
import type { EpisodeEvent } from "../../../memories/episode.ts"
import { readsLikeInstruction } from "../sentences.ts"

export function textOf({ raw_snippet, summary }: EpisodeEvent): string {
  return `${raw_snippet ?? ""}\n${summary}`
}

const longestError = 80

/** The error's own line; empty if it only says that it failed, is not prose, or makes demands. */
export function errorOf(event: EpisodeEvent): string {
  const short = cleanMemoryText(errorLineOf(event))
    .replace(/^(?:E (?=\S)|[×✖✗✘⨯●]\s*)/, "") // the margins of test runners and linters
    .replace(/(?<![\w.])(?:[A-Za-z]:|~)?(?:[\\/][\w.@+-]+)+[\\/](?=[\w.@+-])/g, "") // folders of this machine
    .replace(/ usage: .*$/i, "")
    .replace(/ npm (?:error|ERR!) (?:npm|A complete|To see).*$/, "")
    .replace(/^(.{8,}) \1$/, "$1") // printed twice
  const told = clip(short.replace(/["`]/g, "'"), longestError).replace(/[.,:;]+$/, "")
  return told.length < 8 || isNoProse(told) || saysNothing.test(told) || readsLikeInstruction(told) ? "" : told
}

/** The snippet, or the summary of an output that begins with the error. */
function errorLineOf({ raw_snippet, summary }: EpisodeEvent): string {
  return raw_snippet ?? (complains.test(summary) ? summary : (missing.exec(summary)?.[0] ?? ""))
}

function isNoProse(text: string): boolean {
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0
  return letters < text.length * 0.6 || /[│┃╭╰━─·×✗❯]/.test(text)
}

const complains =
  /^(?:npm |\S{0,40}(?:error|exception|fatal|failed|denied)\b|cannot |could not |no such |unknown |missing )/i

/** A shell's one-line error about a program or a file. */
const missing = /^.{1,120}?: (?:command not found|not found|No such file or directory|Permission denied)\b/i

const saysNothing =
  /\bexited with\b|\bexit (?:code|status)\b|\btask failed\b|^(?:--- )?FAIL\b|^not ok\b|^caused by\b|^found \d+ errors?|^\d+ (?:tests? )?failed|^error: item \d|^failed: [\w -]+$|^[$>] /i
