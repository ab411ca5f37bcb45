import { existsSync } from "node:fs"
import module from "node:module"
import { join } from "node:path"
import { dreyHome } from "./config.ts"

/** Node 22 and later can keep what they compiled for the next start; where Drey has no folder of its own yet, none is made for that. */
export function keepCompiled(environment: NodeJS.ProcessEnv): void {
  const home = dreyHome(environment)
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
  if (enableCompileCache && existsSync(home)) enableCompileCache(join(home, "compiled"))
}
