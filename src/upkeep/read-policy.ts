import { existsSync } from "node:fs"
import { join } from "node:path"
import { readTextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"
import { mergePolicies } from "../formats/merge-policies.ts"
import { type PolicyFile, parsePolicy } from "../formats/parse-policy.ts"
import type { Policy } from "../formats/policy.ts"

export type PolicyReading = {
  policy: Policy
  warnings: string[]
  /** The files that had a say, in the order in which each overrides those before it. */
  files: string[]
}

const policyName = "memory_policy.toml"

/** The policy in force: built in, then the user's file in Drey's home, then the team's in its folder. */
export function readPolicy(places: { home: string; storeFolder: string | undefined }): PolicyReading {
  const files = policyPaths(places).filter((path) => existsSync(path))
  const read = files.map(readPolicyFile)
  return {
    policy: mergePolicies(read.map(({ policy }) => policy)),
    warnings: read.flatMap(({ warnings }) => warnings),
    files,
  }
}

function policyPaths({ home, storeFolder }: { home: string; storeFolder: string | undefined }): string[] {
  const user = join(home, policyName)
  return storeFolder === undefined ? [user] : [user, join(storeFolder, "memory", policyName)]
}

function readPolicyFile(path: string): PolicyFile {
  const file = parsePolicy(readTextFile(path).text, path)
  const [problem, ...more] = file.problems
  if (problem === undefined) return file
  throw new DreyError([problem, ...more].join("\n"), {
    hint: "Mend these lines or take them out: what the file does not say is as it is built in.",
  })
}
