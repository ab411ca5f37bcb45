import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { relative, sep } from "node:path"

/**
 * Writes which packages are in Drey's files, as a CycloneDX bill of materials: they are bundled, so no scanner finds them in a lock file. The same
 * packages give the same bytes. `root` is the folder of the lock file, which knows the hash of each.
 */
export function writeSbom(target, packages, root) {
  const read = (name) => JSON.parse(readFileSync(`${root}/${name}`, "utf8"))
  const own = read("package.json")
  const lock = read("package-lock.json").packages
  const components = new Map()
  for (const { folder, name, version, license } of packages) {
    const { integrity } = lock[relative(root, folder).split(sep).join("/")] ?? {}
    if (integrity === undefined) throw new Error(`package-lock.json does not know ${name} at ${folder}`)
    components.set(purlOf(name, version), {
      type: "library",
      "bom-ref": purlOf(name, version),
      ...namesOf(name),
      version,
      scope: "required",
      hashes: [hashOf(integrity)],
      ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
      purl: purlOf(name, version),
    })
  }
  for (const { folder, name } of packages) if (name === "@photostructure/sqlite") addSqlite(components, folder)
  const refs = [...components.keys()].sort()
  const ref = purlOf(own.name, own.version)
  const body = {
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": ref,
        name: own.name,
        version: own.version,
        description: own.description,
        licenses: [licenseOf(own.license)],
        purl: ref,
      },
    },
    components: refs.map((each) => components.get(each)),
    dependencies: [{ ref, dependsOn: refs }, ...refs.map((each) => ({ ref: each }))],
  }
  const head = { bomFormat: "CycloneDX", specVersion: "1.6", serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}` }
  writeFileSync(target, `${JSON.stringify({ ...head, ...body }, null, 2)}\n`)
}

/** Its binaries hold SQLite itself, for which vulnerabilities are published under its own name. */
function addSqlite(components, folder) {
  const header = readFileSync(`${folder}/src/upstream/sqlite3.h`, "utf8")
  const [, version] = /^#define SQLITE_VERSION\s+"([\d.]+)"/m.exec(header) ?? []
  if (version === undefined) throw new Error(`${folder} does not say which SQLite it is`)
  const purl = `pkg:generic/sqlite@${version}`
  const cpe = `cpe:2.3:a:sqlite:sqlite:${version}:*:*:*:*:*:*:*`
  components.set(purl, { type: "library", "bom-ref": purl, name: "sqlite", version, scope: "required", cpe, purl })
}

function namesOf(name) {
  const [, group, rest] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  return group === undefined ? { name } : { group, name: rest }
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`
}

/** A licence of the list of SPDX has no spaces; what has some joins several. */
function licenseOf(license) {
  return /[\s(]/.test(license) ? { expression: license } : { license: { id: license } }
}

function hashOf(integrity) {
  const [, name = "", base64 = ""] = /^(sha\d+)-(.+)$/.exec(integrity.split(" ")[0]) ?? []
  return { alg: name.replace("sha", "SHA-"), content: Buffer.from(base64, "base64").toString("hex") }
}

/** A name-based UUID (version 5 in its form) of what is listed. */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex")
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
