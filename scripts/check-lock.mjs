// npm compares what it fetches with the hash in the lock file. It does not mind a package without one, one from elsewhere than a registry, or a
// lock file that says less than package.json and is then resolved again: these are refused here, as npm ci would.
import { readFileSync } from "node:fs"

/** The packages of a lock file, by their place in the project. */
export function readLock(path) {
  const { packages = {} } = JSON.parse(readFileSync(path, "utf8"))
  return Object.fromEntries(Object.entries(packages).filter(([place]) => place !== ""))
}

/** Throws where a package has no strong hash, or is not from a registry. The project's own workspaces are folders of this repository. */
export function requireHashes(lock, workspaces = []) {
  const isWorkspace = (place, { link, resolved }) => workspaces.includes(link ? resolved : place)
  const without = Object.entries(lock).filter(
    ([place, { integrity, link, resolved }]) =>
      !isWorkspace(place, { link, resolved }) &&
      (!/^sha512-[\w+/]{86}==$/.test(integrity ?? "") || link || /^(?:git|file|ssh)\b/.test(resolved ?? "")),
  )
  if (without.length === 0) return
  throw new Error(
    `package-lock.json has no sha512 of a registry's package for ${without.map(([place]) => place).join(", ")}`,
  )
}

/** Throws where something is installed that the lock file does not name, or in another version. */
export function requireSame(installed, lock) {
  const others = Object.entries(installed).filter(
    ([place, { version, integrity }]) => lock[place]?.version !== version || lock[place]?.integrity !== integrity,
  )
  if (others.length === 0) return
  throw new Error(`installed packages differ from package-lock.json: ${others.map(([place]) => place).join(", ")}`)
}
