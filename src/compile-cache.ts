import { existsSync } from "node:fs"
import module from "node:module"
import { join } from "node:path"
import { dreyHome } from "./config.ts"

/** Turns on Node's compile cache (Node 22 and later), unless Drey's home does not exist yet. */
export function enableCompileCache(environment: NodeJS.ProcessEnv): void {
  const home = dreyHome(environment)
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
  if (enableCompileCache && existsSync(home)) enableCompileCache(join(home, "compiled"))
}
