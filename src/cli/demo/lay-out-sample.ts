import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"

/** The day on which the sample's files were written, in their own dates. */
const writtenOn = "2026-03-06"
/** Where the sample's repository lay on the machine of those who worked in it. */
const formerRoot = "/home/ines/ferry-tickets"
const dayMs = 86_400_000

export type Sample = { root: string; home: string }

/** Copies the sample into a folder, as if the work in it had ended yesterday and its repository had always been there. */
export function layOutSample(from: string, folder: string, now: number): Sample {
  const sample = { root: join(folder, "ferry-tickets"), home: join(folder, "home") }
  const days = Math.floor(now / dayMs) - Date.parse(writtenOn) / dayMs
  const rootInJson = JSON.stringify(sample.root).slice(1, -1) // a path of Windows has backslashes
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const path = join(file.parentPath, file.name)
    const name = relative(from, path).split(sep).join("/")
    const target = join(folder, moveDates(name, days))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(
      target,
      moveDates(readFileSync(path, "utf8"), days).replaceAll(formerRoot, () => rootInJson),
    )
  }
  return sample
}

/** Every date as many days later, in texts and in the names of files: `2026-03-04`, `2026/03/04`. */
export function moveDates(text: string, days: number): string {
  return text.replace(/\b(\d{4})([-/])(\d\d)\2(\d\d)(?!\d)/g, (_, year, mark, month, day) => {
    const moved = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) + days))
    return moved.toISOString().slice(0, 10).replaceAll("-", mark)
  })
}
