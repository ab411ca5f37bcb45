import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import type { AuditFinding, AuditHead } from "../../team/server/identity/team-audit.ts"
import { type CommonOptions, print } from "../print.ts"
import { type DatabaseOptions, databaseNameOf, databasePlaceOf, serverCommand } from "../team-database.ts"
import { parseSlug } from "./team-serve.ts"

type Options = CommonOptions & DatabaseOptions & { org: string; head?: string }

export function teamVerifyAuditCommand(): Command {
  return serverCommand(
    "verify-audit",
    "Verify that no line of an organisation's audit log was changed or removed, using its key and the last line of the previous check. For server operators.",
    "drey team verify-audit --org acme",
  )
    .option("--org <name>", "the organisation", "team")
    .option("--head <line>", "a last line that was printed before and noted elsewhere, as NUMBER:HASH")
    .action(verifyAudit)
}

async function verifyAudit(options: Options): Promise<void> {
  const { withTables } = await import("../../team/server/with-database.ts")
  const { verifyTeamAudit } = await import("../../team/server/identity/verify-team-audit.ts")
  const slug = await parseSlug(options.org)
  const place = databasePlaceOf(options)
  const known = options.head === undefined ? undefined : parseHead(options.head)
  const verifying = { slug, database: databaseNameOf(place), known, environment: process.env }
  const finding = await withTables(place, (driver) => verifyTeamAudit(driver, verifying))
  const isIntact = finding.kind === "intact"
  print(
    options,
    () => ({ intact: isIntact, brokenAt: isIntact ? null : lineOf(finding), ...finding }),
    () => textOf(slug, finding),
  )
  if (!isIntact) process.exitCode = exitCode.no
}

function parseHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d{1,9}):((?:[0-9a-f]{2}){32,36})$/.exec(text) ?? []
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash }
  throw new DreyError(`"${text}" is not a line of the audit`, {
    hint: "Write it as NUMBER:HASH, as printed by the previous check.",
  })
}

function lineOf(finding: Exclude<AuditFinding, { kind: "intact" }>): number {
  if (finding.kind === "cut") return finding.last + 1
  return finding.kind === "rewritten" ? finding.known.seq : finding.line
}

function textOf(slug: string, finding: AuditFinding): string {
  switch (finding.kind) {
    case "intact":
      return [`The audit log of ${slug} is intact`, ...headLines(finding)].join("\n")
    case "changed":
      return `Line ${finding.line} of the audit log of ${slug} was changed, or a line before it was removed`
    case "unkeyed":
      return `Line ${finding.line} of the audit log of ${slug} was written without the key: by an earlier server version, or by another program`
    case "unknown key":
      return `Line ${finding.line} of the audit log of ${slug} was signed with another key (${finding.key}): add that key to DREY_AUDIT_KEY, after a comma`
    case "cut":
      return `The audit log of ${slug} was truncated: it ends with line ${finding.last}, but line ${finding.known.seq} existed before`
    case "rewritten":
      return `The audit log of ${slug} was rewritten: line ${finding.known.seq} differs from the previous check`
  }
}

function headLines({ head, keyedFrom }: Extract<AuditFinding, { kind: "intact" }>): string[] {
  if (head === null) return []
  const keyed =
    keyedFrom === 1
      ? ""
      : keyedFrom === null
        ? "; no line is signed with a key yet"
        : `; signed with a key from line ${keyedFrom} on`
  return [`Its last line is ${head.seq}:${head.hash}${keyed}`]
}
