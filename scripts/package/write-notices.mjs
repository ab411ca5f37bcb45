import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** The terms of packages that are published without them, as their repositories or their READMEs have them. */
const termsOfOthers = join(import.meta.dirname, "terms")

/** The files that esbuild put something of into what it wrote; `root` is the folder that it worked in. */
export function filesInBundle({ outputs }, root) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => resolve(root, path)),
  )
}

/** The same of what vite wrote. */
export function filesInApp({ output }) {
  return output.flatMap(({ moduleIds = [] }) => moduleIds.map((id) => id.replace(/\?.*$/, "")))
}

/** The packages that these files are of. */
export function packagesOf(files) {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== undefined))
  return [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    return { folder, name, version, license }
  })
}

/** Writes who made the packages that these files are of, and on which terms; packages with the same terms, word by word, share them. */
export function writeNotices(target, files) {
  const byTerms = new Map()
  for (const { folder, name, version, license } of packagesOf(files)) {
    const terms = termsOf(name, folder)
    byTerms.set(terms, (byTerms.get(terms) ?? new Set()).add(`${name} ${version} (${license})`))
  }
  const sections = [...byTerms].map(([terms, titles]) => `${[...titles].sort().join("\n")}\n\n${terms}`.trim())
  const intro = "Drey's files hold code of these packages, each under the terms that follow its name."
  writeFileSync(target, `${[intro, ...sections.sort()].join(`\n\n${"=".repeat(80)}\n`)}\n`)
}

/** The folder of the package that a file is of; undefined for the project's own, and for what a bundler made up. */
function packageFolder(path) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(path)?.[0]
}

/** Empty where there are none, which the check of the package does not let pass. */
function termsOf(name, folder) {
  const own = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
  const paths = own.length > 0 ? own.map((file) => join(folder, file)) : [join(termsOfOthers, `${name}.txt`)]
  return paths
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n")
}
