import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the built app: beside that of the built program, or in dist where the sources run. */
export function findApp(): string {
  const [built = "", source = ""] = ["../ui", "../../dist/ui"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return existsSync(join(built, "index.html")) ? built : source
}
