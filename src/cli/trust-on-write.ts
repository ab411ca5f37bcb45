import { DreyError } from "../errors.ts"
import { isRunByAgent } from "../hooks/acting-agent.ts"
import { openTrust, type TrustControl } from "../trust.ts"
import { printNotice } from "./print.ts"

/**
 * Trusts the repository because the user decided so, by any command: the one place where that happens. Returns whether it is new;
 * undefined if there is nothing to trust, or if an agent runs the command.
 */
export async function trustForUser(root: string | undefined): Promise<boolean | undefined> {
  if (isRunByAgent()) return undefined
  const trusting = openTrust({ root })
  return trusting.isRepository ? trusting.record() : undefined
}

/** The same as a side effect of a command that has succeeded: a record that cannot be stored does not undo it. */
export async function tryTrustForUser(root: string | undefined): Promise<boolean> {
  try {
    return (await trustForUser(root)) === true
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    printNotice(`drey: this repository is not recorded as trusted: ${error.message}`)
    return false
  }
}

/**
 * Writing to a repository shows that the user works with it: it is trusted from then on; one that makes a team folder makes it with no
 * content from anyone else. Called before a command; the returned function is called after it.
 */
export function watchForWrite(
  { writes, makes }: { writes: boolean; makes: boolean },
  root: string | undefined,
): (() => Promise<void>) | undefined {
  const trusting = openTrust({ root })
  const trust = trusting.current()
  if (makes && trust.kind === "trusted" && !trust.record)
    return async () => {
      if (openTrust({ root }).current().kind === "untrusted") await tryTrustForUser(root)
    }
  if (!writes || trust.kind !== "untrusted") return undefined
  const before = fingerprintIfReadable(trusting)
  return async () => {
    const after = fingerprintIfReadable(trusting)
    if (after === undefined || after === before) return // a preview, or there was nothing to do
    if (await tryTrustForUser(root)) printNotice("Trusted this repository. Undo: drey trust --remove")
  }
}

/** An unreadable team folder is reported by the command; it is not trusted then. */
function fingerprintIfReadable(trusting: TrustControl): string | undefined {
  try {
    return trusting.look()
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return undefined
  }
}
