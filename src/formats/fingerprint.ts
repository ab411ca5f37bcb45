import { truncate } from "./truncate.ts"

const longestFingerprint = 160

/** What two failures of one cause have in common: the telling line without times, places, numbers and names of the moment. */
export function fingerprint(line: string): string | undefined {
  let print = line.slice(0, 1000).toLowerCase()
  for (const [pattern, mark] of replacements) print = print.replace(pattern, mark)
  print = truncate(print.replace(/\s+/g, " ").trim(), longestFingerprint)
  return /\p{L}{3}/u.test(print.replace(/<\w+>/g, "")) ? print : undefined
}

const replacements: [RegExp, string][] = [
  [/\u001b\[[0-9;?]{0,20}[a-z]/g, ""],
  [/\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b/g, "<time>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<id>"],
  [/\bhttps?:\/\/\S{1,500}/g, "<url>"],
  [
    /"[^"\n]{0,300}"|`[^`\n]{0,300}`|(?<![\p{L}\p{N}])'[^'\n]{0,300}'(?![\p{L}\p{N}])|‘[^’\n]{0,300}’|“[^”\n]{0,300}”/gu,
    "<text>",
  ],
  [/(?:[a-z]:)?(?:[\w.@~+-]{0,100}[/\\]){1,40}([\w.@+-]{1,100})/g, "$1"],
  [/(?<=\.\w{1,8}):\d{1,7}(?::\d{1,7})?|\(\d{1,7}(?:[,:]\d{1,7})?\)|\bline \d{1,7}\b/g, ""],
  [/\b0x[0-9a-f]{1,16}\b|\b(?=[a-f]{0,39}\d)[0-9a-f]{7,40}\b/g, "<hex>"],
  [/\d+(?:[.,]\d+){0,6}/g, "#"],
]
