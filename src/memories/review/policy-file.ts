import { existsSync } from "node:fs"
import { join } from "node:path"
import { FileTooLarge, readTextFile, settingsBytes } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { mergePolicies, type Policy } from "../../formats/policy.ts"
import { limitProjectPolicy, type PartialPolicy, parsePolicy } from "../../formats/policy-toml.ts"

export type PolicyReading = {
  policy: Policy
  /** Without the project's file: for memories that are not specific to this project. */
  userPolicy: Policy
  warnings: string[]
  /** The files applied, each overriding those before it. */
  files: string[]
}

const policyName = "memory_policy.toml"

/**
 * The effective policy: built in, then the user's file in Drey's home, then the team's file as far as it is allowed.
 */
export function readPolicy({ home, storeFolder }: { home: string; storeFolder: string | undefined }): PolicyReading {
  const user = readPolicyFile(join(home, policyName))
  const ignored: string[] = []
  const project =
    storeFolder === undefined ? undefined : readProjectFile(join(storeFolder, "memory", policyName), ignored)
  const userPolicy = mergePolicies(user ? [user.policy] : [])
  const limited = project && limitProjectPolicy(project.policy, project, userPolicy)
  return {
    policy: mergePolicies([...(user ? [user.policy] : []), ...(limited ? [limited.policy] : [])]),
    userPolicy,
    warnings: [...ignored, ...[user, project, limited].flatMap((each) => each?.warnings ?? [])],
    files: [user, project].flatMap((each) => (each ? [each.path] : [])),
  }
}

type ReadFile = { path: string; text: string; policy: PartialPolicy; warnings: string[] }

/** The team's file comes with a clone: an oversized one must not keep the user from working there. */
function readProjectFile(path: string, ignored: string[]): ReadFile | undefined {
  try {
    return readPolicyFile(path)
  } catch (error) {
    if (!(error instanceof FileTooLarge)) throw error
    ignored.push(`${error.message}; it is ignored`)
    return undefined
  }
}

function readPolicyFile(path: string): ReadFile | undefined {
  if (!existsSync(path)) return undefined
  const { text } = readTextFile(path, { maxBytes: settingsBytes })
  const { policy, warnings, problems } = parsePolicy(text, path)
  if (problems.length === 0) return { path, text, policy, warnings }
  throw new DreyError(problems.join("\n"), {
    hint: "Fix or remove these lines; settings missing from the file use the built-in values.",
  })
}
