import { verifyAudit } from "../../governance/verify-audit.ts"
import { readMemoryConfig } from "../memory/memory-config.ts"
import { auditPlaceOf } from "../memory/memory-context.ts"
import { type Examined, fail, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Checks that the audit log was not changed after it was written. */
export const auditCheck: NamedCheck = { name: "audit chain", examine: examineAudit }

function examineAudit({ store }: Examined): Verdict {
  const folder = store.folders[0]
  if (!folder) return pass("There is no audit yet.")
  const { problems, lines, warnings, foreign } = verifyAudit(auditPlaceOf(folder, readMemoryConfig(folder).config))
  if (problems.length > 0) {
    const places = problems.map(({ path, line, kind }) => `${folder.name}/${path}:${line} (${kind})`)
    return fail(
      `The audit was tampered with or damaged in ${quantity(places.length, "place")}: ${nameSome(places)}. Compare it with git's history.`,
    )
  }
  if (warnings.length > 0) return warn(warnings.join(" "))
  if (lines === 0) return pass("There is no audit yet.")
  const others =
    foreign.length === 0 ? "" : `; another tool wrote ${quantity(foreign.length, "line")}, which cannot be verified`
  return pass(`The audit log is intact (${quantity(lines, "line")})${others}.`)
}
