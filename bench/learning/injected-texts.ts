import { readFileSync } from "node:fs"
import { plain } from "./junk.ts"

/** All that clients and hooks put into sessions, found in the raw files by other means than the readers use: by the marks around it. */
export function injectedTexts(paths: readonly string[]): string {
  return paths
    .flatMap((path) => readFileSync(path, "utf8").split("\n").flatMap(injectedIn))
    .map(plain)
    .join(" | ")
}

const blocks =
  /<(system-reminder|hook_context|session_context|environment_context|drey-context|user_instructions|INSTRUCTIONS)\b[^>]{0,200}>([\s\S]{0,60000}?)<\/\1>/g
const wholeRecords = [
  '"type":"attachment"',
  '"role":"developer"',
  '"isCompactSummary":true',
  '"type":"system.message"',
  '"type":"hook.',
]

function injectedIn(line: string): string[] {
  if (line.length > 2_000_000) return []
  const decoded = line
    .replace(/\\n/g, "\n")
    .replace(/\\u003c/g, "<")
    .replace(/\\u003e/g, ">")
    .replace(/\\"/g, '"')
  const found = [...decoded.matchAll(blocks)].map((match) => match[2] ?? "")
  return wholeRecords.some((mark) => line.includes(mark)) ? [...found, decoded] : found
}
