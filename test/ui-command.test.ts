import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { takeBlocks, wordsOf } from "./doc-blocks.ts"
import { dreyOnPath } from "./drey-on-path.ts"
import { makeRepository, runCli, startCli } from "./run-cli.ts"
import { enter } from "./ui/browse.ts"

const team = { ".squad/team.md": "# Team\n", ".squad/decisions.md": "# Decisions\n" }

test("the link is printed and lets a browser in, and a signal stops the server with open connections", async () => {
  const ui = await startUi(makeRepository(team), "--port", "0")
  const { origin } = new URL(ui.url)
  expect(await (await fetch(ui.url)).text()).toContain('<div id="root">')
  const headers = { "x-drey-key": await enter(ui.url) }
  const events = await fetch(`${origin}/api/events`, { headers })
  expect(events.status).toBe(200)
  expect(await (await fetch(`${origin}/api/about`, { headers })).json()).toMatchObject({
    version: expect.stringMatching(/^\d/),
  })
  ui.child.kill("SIGINT")
  expect(await ui.code).toBe(0)
})

test("a port that is asked for and taken is an error; else another is found", async () => {
  const taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const root = makeRepository(team)
  const refused = await runCli(["ui", "--no-open", "--port", String(port)], { cwd: root })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`Port ${port} is in use`) })
  const [one, other] = [await startUi(root), await startUi(root)] // at the usual port, and where there is room
  expect(new URL(one.url).port).not.toBe(new URL(other.url).port)
})

test("a missing team folder or an invalid port is reported", async () => {
  const nowhere = await runCli(["ui", "--no-open"], { cwd: makeRepository({}) })
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("has no .squad folder") })
  const wrong = await runCli(["ui", "--port", "many"], { cwd: makeRepository(team) })
  expect(wrong.code).toBe(2)
})

test.skipIf(process.platform !== "linux")(
  "the commands of the page serve at its address, and open a browser with the link unless disabled",
  async () => {
    const [block = ""] = takeBlocks("docs/ui.md", "sh", 1)
    const lines = block.trimEnd().split("\n")
    const free = String(await freePort())
    expect(lines.map((line) => line.split(/ +#/)[0])).toEqual([
      "drey ui",
      "drey ui --port 4000",
      "drey ui --no-open --json",
    ])
    for (const [at, line] of lines.entries()) {
      const args = wordsOf((line.split(/ +#/)[0] ?? "").replace("drey ", "").replace("4000", free))
      const { child, url, opened } = await startOpening(args)
      const ended = once(child, "close")
      if (at === 1) expect(new URL(url).port).toBe(free)
      if (at < 2) expect(readFileSync(await opened(), "utf8")).toContain(`content="0;url=${url}"`)
      child.kill("SIGTERM")
      await ended
      if (at < 2) expect(existsSync(await opened())).toBe(false)
      else await expect(opened(0)).rejects.toThrow()
    }
  },
)

describe.skipIf(process.platform !== "linux")("another user of the machine", () => {
  test("finds no token in the list of processes, and cannot read the file that the browser is given", async () => {
    const { url, opened, argumentsOf } = await startOpening(["ui", "--port", "0"])
    const file = await opened()
    const token = new URL(url).searchParams.get("token") ?? ""
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(argumentsOf()).toContain(file)
    expect(argumentsOf()).not.toContain(token)
    expect(file).toMatch(/\/run\/open-[0-9a-f]{16}\.html$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    if (process.getuid?.() !== 0) return
    const asNobody = spawnSync("cat", [file], { uid: 65_534, gid: 65_534, encoding: "utf8" })
    expect(asNobody).toMatchObject({ stdout: "", stderr: expect.stringContaining("Permission denied") })
  })

  test("finds no file of a link that was used", async () => {
    const { url, opened } = await startOpening(["ui", "--port", "0"])
    const file = await opened()
    await enter(url)
    expect(existsSync(file)).toBe(false)
  })
})

/** Runs it with a browser that waits, until the test ends. */
async function startOpening(args: string[]) {
  const place = makeRepository({})
  // as a browser does, it stays, so that its arguments can be read
  const script = `printf '%s\\n' "$1" > '${place}/opened.part'; mv '${place}/opened.part' '${place}/opened'; tr '\\0' '\\n' < /proc/$$/cmdline > '${place}/arguments'`
  const path = dreyOnPath({ "xdg-open": script })
  const child = startCli(args, { cwd: makeRepository(team), env: { PATH: path } })
  onTestFinished(() => void child.kill("SIGKILL"))
  const url = await readLink(child)
  return {
    child,
    url,
    /** The path that the browser was given. */
    opened: async (timeout = 20_000) => {
      await expect.poll(() => existsSync(join(place, "arguments")), { timeout }).toBe(true)
      return readFileSync(join(place, "opened"), "utf8").trim()
    },
    argumentsOf: () => readFileSync(join(place, "arguments"), "utf8"),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, "close")
  return port
}

/** The first address that it prints, in words or as JSON. */
async function readLink(child: ReturnType<typeof startCli>): Promise<string> {
  let text = ""
  for await (const piece of child.stdout) {
    text += piece
    const [link] = /http:\/\/127\.0\.0\.1[^\s"]+(?=[\s"])/.exec(text) ?? []
    if (link) return link
  }
  throw new Error(`it ended without a link: ${text}`)
}

/** Runs it without a browser until the test ends. */
async function startUi(root: string, ...args: string[]) {
  const child = startCli(["ui", "--json", "--no-open", ...args], { cwd: root })
  onTestFinished(() => void child.kill("SIGKILL"))
  const code = new Promise((resolve) => child.on("close", resolve))
  const { url } = JSON.parse(await readDocument(child)) as { url: string }
  return { child, url, code }
}

async function readDocument(child: ReturnType<typeof startCli>): Promise<string> {
  let text = ""
  for await (const piece of child.stdout) {
    text += piece
    if (text.trimEnd().endsWith("}")) return text
  }
  throw new Error(`it ended without a word: ${text}`)
}
