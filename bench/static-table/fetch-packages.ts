import { execFile } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Fetches each `name@version` as a tarball into the folder, unless it is there; returns their paths in the same order. */
export async function fetchPackages(
  specifiers: string[],
  folder: string,
  report: (line: string) => void,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const paths = specifiers.map((specifier) => join(folder, tarballOf(specifier)))
  const missing = specifiers.filter((_, index) => !existsSync(paths[index] ?? ""))
  for (let start = 0; start < missing.length; start += atOnce) {
    const some = missing.slice(start, start + atOnce)
    await Promise.all(
      some.map((specifier) => run("npm", ["pack", specifier, "--silent", "--ignore-scripts"], { cwd: folder })),
    )
    report(`fetched ${Math.min(start + atOnce, missing.length)} of ${missing.length} packages`)
  }
  return paths
}

const atOnce = 6

/** The name npm gives a tarball: @scope/name@1.0.0 becomes scope-name-1.0.0.tgz. */
function tarballOf(specifier: string): string {
  const versionAt = specifier.lastIndexOf("@")
  const name = specifier.slice(0, versionAt).replace("@", "").replace("/", "-")
  return `${name}-${specifier.slice(versionAt + 1)}.tgz`
}
