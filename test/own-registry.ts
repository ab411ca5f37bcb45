import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { makeRepository } from "./run-cli.ts"

/** Packs this project as `npm publish` would, and serves it as npm's registry does, with nothing else in it; returns its address. */
export async function serveOwnRegistry(project: string): Promise<string> {
  const folder = makeRepository({})
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder] // it is built already
  execFileSync("npm", args, { cwd: project, stdio: "pipe" })
  const [name = ""] = readdirSync(folder)
  const tarball = readFileSync(join(folder, name))
  const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
  const server = createServer((request, response) => {
    if (request.url === `/drey/-/${name}`) return void response.end(tarball)
    if (request.url !== "/drey") return void response.writeHead(404).end("{}")
    const dist = {
      tarball: `http://${request.headers.host}/drey/-/${name}`,
      shasum: createHash("sha1").update(tarball).digest("hex"),
    }
    const { version } = manifest
    response.setHeader("content-type", "application/json")
    response.end(
      JSON.stringify({
        name: "drey",
        "dist-tags": { latest: version },
        versions: { [version]: { ...manifest, dist } },
      }),
    )
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return `http://127.0.0.1:${port}`
}
