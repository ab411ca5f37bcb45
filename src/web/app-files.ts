import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { serveStatic } from "@hono/node-server/serve-static"
import type { Context, Handler, Next } from "hono"
import { missingPage } from "./browser.ts"

/** The files of the built app; every address without a file is one of its pages. */
export function serveApp(folder: string): Handler {
  if (!existsSync(join(folder, "index.html"))) return (context) => context.html(missingPage, 404)
  const file = serveStatic({
    root: folder,
    precompressed: true,
    onFound(path, context) {
      // The names of assets change with their content.
      const isAsset = /[/\\]assets[/\\]/.test(path)
      context.header("Cache-Control", isAsset ? "public, max-age=31536000, immutable" : "no-cache")
    },
  })
  const start = serveStatic({ root: folder, path: "index.html", precompressed: true })
  return async (context: Context, next: Next) => {
    const found = await file(context, async () => {})
    if (found) return found
    if (!isPage(context.req.path)) return context.json({ error: "Not found." }, 404)
    context.header("Cache-Control", "no-cache")
    return (await start(context, next)) ?? context.notFound()
  }
}

/** A path such as /items/sem-4f2a90c1d3e5: not a file, and no link to another place. */
function isPage(path: string): boolean {
  const first = path.split("/")[1] ?? ""
  return !first.includes(".") && first !== "assets" && !path.split("/").some((part) => part === ".." || part === ".")
}

/** The folder of the built app: beside that of the built program, or in dist where the sources run. */
export function findApp(): string {
  const [built = "", source = ""] = ["../ui", "../../dist/ui"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return existsSync(join(built, "index.html")) ? built : source
}
