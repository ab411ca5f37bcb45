// Asks npm's registry whether vulnerabilities are known of the packages that are bundled into dist/, which `npm audit` of a project that uses
// Drey cannot see. Ends with 0 where none is known, 1 where some are, 2 where the registry did not really answer.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A package in which vulnerabilities have long been known. An answer without it comes from a registry that looks nothing up. */
const known = { name: "minimist", version: "0.0.8" }

const sbom = JSON.parse(readFileSync(fileURLToPath(new URL("../dist/sbom.cdx.json", import.meta.url)), "utf8"))
const packages = sbom.components
  .filter(({ purl }) => purl.startsWith("pkg:npm/"))
  .map(({ group, name, version }) => ({ name: group === undefined ? name : `${group}/${name}`, version }))

const folder = mkdtempSync(join(tmpdir(), "drey-audit-"))
try {
  process.exitCode = report(audit([...packages, known]))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** npm's audit of a project with just these packages; each under an alias, since there may be several versions of one. */
function audit(all) {
  const entries = all.map(({ name, version }, at) => ({ place: `bundled-${at}`, name, version }))
  const dependencies = Object.fromEntries(entries.map(({ place, name, version }) => [place, `npm:${name}@${version}`]))
  const project = { name: "bundled", version: "0.0.0", dependencies }
  const placed = entries.map(({ place, name, version }) => [`node_modules/${place}`, { name, version }])
  const lock = { ...project, lockfileVersion: 3, packages: { "": project, ...Object.fromEntries(placed) } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(project))
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock))
  const flags = ["--json", "--package-lock-only", "--audit-level=low", "--no-offline", "--no-prefer-offline"]
  const { stdout, error } = spawnSync("npm", ["audit", ...flags], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: 5 * 60_000,
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "ignore"],
  })
  if (error) return { message: error.message }
  try {
    return JSON.parse(stdout)
  } catch {
    return { message: "npm audit printed no JSON" } // which is said below
  }
}

function report({ vulnerabilities, message, error }) {
  const found = Object.values(vulnerabilities ?? {})
    .flatMap(({ via }) => via)
    .filter((each) => typeof each === "object")
  if (!found.some(({ name, dependency }) => [name, dependency].includes(known.name))) {
    const reason = message ?? error?.summary ?? `the registry does not know ${known.name} ${known.version}`
    console.error(`The ${packages.length} bundled packages were not audited: ${reason}.`)
    console.error("Try again with a connection to a registry that has npm's advisories, such as the public one.")
    return 2
  }
  const own = found.filter(({ name, dependency }) => ![name, dependency].includes(known.name))
  for (const { dependency, name, range, severity, title, url } of own)
    console.error(`${severity}: ${dependency ?? name} ${range}: ${title} ${url}`)
  if (own.length > 0) return 1
  console.log(`No vulnerabilities are known of the ${packages.length} bundled packages.`)
  return 0
}
