import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { gunzipSync } from "node:zlib"
import { expect, onTestFinished, test } from "vitest"
import { environmentOf, makeRepository } from "./run-cli.ts"

const project = resolve(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(project, path), "utf8")

type Component = { type: string; "bom-ref": string; group?: string; name: string; version: string; purl: string }
type Sbom = {
  bomFormat: string
  specVersion: string
  serialNumber: string
  version: number
  metadata: { component: Component }
  components: (Component & { hashes?: { alg: string; content: string }[]; licenses?: object[] })[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}
const sbom: Sbom = JSON.parse(read("dist/sbom.cdx.json"))
const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`)

test("the package lists what is bundled into it, in the form of CycloneDX 1.6", () => {
  const { version } = JSON.parse(read("package.json"))
  expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 })
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  expect(sbom.metadata.component).toMatchObject({ type: "application", name: "drey", version })
  const refs = sbom.components.map((component) => component["bom-ref"])
  expect(new Set(refs).size).toBe(refs.length)
  for (const component of sbom.components) {
    expect(component).toMatchObject({
      type: "library",
      name: expect.stringMatching(/./),
      version: expect.stringMatching(/^\d/),
    })
    for (const { alg, content } of component.hashes ?? [])
      expect(`${alg} ${content}`).toMatch(/^SHA-512 [0-9a-f]{128}$/)
  }
  const known = new Set([...refs, sbom.metadata.component["bom-ref"]])
  for (const { ref, dependsOn = [] } of sbom.dependencies)
    for (const each of [ref, ...dependsOn]) expect(known).toContain(each)
})

test("the list has every package of the notices, with the hash of the lock file, and SQLite itself", () => {
  const [, ...sections] = read("dist/THIRD-PARTY-NOTICES.txt").split(`\n${"=".repeat(80)}\n`)
  const noticed = sections.flatMap((section) => (section.trim().split("\n\n")[0] ?? "").split("\n"))
  const listed = sbom.components.filter(({ purl }) => purl.startsWith("pkg:npm/"))
  const titles = noticed.map((title) => title.replace(/ \(.*/, ""))
  expect(listed.map((each) => `${nameOf(each)} ${each.version}`).sort()).toEqual([...new Set(titles)].sort())
  const integrities = Object.values<{ integrity?: string }>(JSON.parse(read("package-lock.json")).packages).map(
    ({ integrity = "" }) => Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex"),
  )
  for (const { hashes } of listed) expect(integrities).toContain(hashes?.[0]?.content)
  expect(sbom.components.filter(({ purl }) => purl.startsWith("pkg:generic/sqlite@"))).toHaveLength(1)
  const packed: { files: { path: string }[] }[] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: project,
      encoding: "utf8",
      stdio: "pipe",
    }),
  )
  expect(packed[0]?.files.map(({ path }) => path)).toContain("dist/sbom.cdx.json")
})

const advisory = (title: string, range: string) => [
  {
    id: 1,
    url: "https://example.com/advisory",
    title,
    severity: "high",
    vulnerable_versions: range,
    cwe: [],
    cvss: { score: 7 },
  },
]
const canary = { minimist: advisory("Prototype pollution", "<0.2.4") }

/** Runs it against a registry that answers like this to whatever it is asked about; what it was asked about. */
async function audit(answer: { status?: number; body: object } | undefined) {
  let asked: Record<string, string[]> = {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const isBulk = request.url === "/-/npm/v1/security/advisories/bulk"
      const body = Buffer.concat(chunks)
      if (isBulk) asked = JSON.parse((body[0] === 0x1f ? gunzipSync(body) : body).toString())
      response.writeHead(isBulk ? (answer?.status ?? 200) : 404, { "content-type": "application/json" })
      response.end(JSON.stringify(isBulk ? answer?.body : {}))
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  if (answer) onTestFinished(() => void server.close())
  else await new Promise((closed) => server.close(closed))
  const env = environmentOf({
    npm_config_registry: `http://127.0.0.1:${port}`,
    npm_config_cache: makeRepository({}),
    npm_config_fetch_retries: "0",
  })
  const child = spawn(process.execPath, [join(project, "scripts/audit-deps.mjs")], { cwd: makeRepository({}), env })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code, stdout, stderr, asked }
}

test("the audit asks about every bundled package, and reports when nothing is known of them", async () => {
  const { code, stdout, stderr, asked } = await audit({ body: canary })
  expect([code, stderr]).toEqual([0, ""])
  expect(stdout).toMatch(/^No vulnerabilities are known of the \d+ bundled packages\.\n$/)
  const { minimist, ...own } = asked
  expect(minimist).toContain("0.0.8")
  const wanted: Record<string, string[]> = {}
  for (const each of sbom.components.filter(({ purl }) => purl.startsWith("pkg:npm/")))
    wanted[nameOf(each)] = [...(wanted[nameOf(each)] ?? []), each.version].sort()
  for (const versions of Object.values(own)) versions.sort()
  expect(own).toEqual(wanted)
})

test("the audit names what is vulnerable, and fails", async () => {
  const { code, stdout, stderr } = await audit({ body: { ...canary, hono: advisory("Path traversal", "<=999") } })
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr).toMatch(/^high: hono <=999: Path traversal https:\/\/example\.com\/advisory\n$/)
})

test.each([
  ["that knows no advisories", { body: {} }],
  ["that refuses", { status: 405, body: {} }],
  ["that does not work", { status: 500, body: {} }],
  ["that cannot be reached", undefined],
])("with a registry %s the audit fails and never reports success", async (_what, answer) => {
  const { code, stdout, stderr } = await audit(answer)
  expect([code, stdout]).toEqual([2, ""])
  expect(stderr).toMatch(/^The \d+ bundled packages were not audited: .+\.\nTry again/)
})
