import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Teacher } from "./open-teacher.ts"
import { longestText, teacherDimensions } from "./open-teacher.ts"

/** The teacher's vector of every text, laid end to end. Finished parts stay in the folder, so that a stopped run resumes. */
export async function embedTexts(
  texts: string[],
  split: (text: string) => number[],
  teacher: Teacher,
  folder: string,
  report: (line: string) => void,
): Promise<Float32Array> {
  mkdirSync(folder, { recursive: true })
  const vectors = new Float32Array(texts.length * teacherDimensions)
  for (let start = 0; start < texts.length; start += partSize) {
    const path = join(folder, `${String(start / partSize).padStart(4, "0")}.f32`)
    const part = texts.slice(start, start + partSize)
    if (!existsSync(path)) {
      writeFileSync(`${path}.part`, new Uint8Array((await embedPart(part, split, teacher)).buffer))
      renameSync(`${path}.part`, path)
    }
    const bytes = new Uint8Array(readFileSync(path))
    if (bytes.length !== part.length * teacherDimensions * 4)
      throw new Error(`${path} belongs to another corpus; remove its folder.`)
    vectors.set(new Float32Array(bytes.buffer), start * teacherDimensions)
    report(`embedded ${start + part.length} of ${texts.length} texts`)
  }
  return vectors
}

const partSize = 4096
const mostTokens = 700 // of one batch, padding included

/** Texts of like length go together: padding costs as much as words. */
async function embedPart(texts: string[], split: (text: string) => number[], teacher: Teacher): Promise<Float32Array> {
  const inputs = texts.map((text, index) => ({ index, text, pieces: split(text).slice(0, longestText) }))
  inputs.sort((left, right) => left.pieces.length - right.pieces.length || left.index - right.index)
  const vectors = new Float32Array(texts.length * teacherDimensions)
  for (let start = 0; start < inputs.length; ) {
    let end = start + 1
    while (end < inputs.length && (end - start + 1) * ((inputs[end]?.pieces.length ?? 0) + 2) <= mostTokens) end++
    const batch = inputs.slice(start, end)
    const answers = await teacher(batch)
    for (const [position, { index }] of batch.entries()) vectors.set(answers[position] ?? [], index * teacherDimensions)
    start = end
  }
  return vectors
}
