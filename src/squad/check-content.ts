import { findInPath, findSensitive, type Sensitive } from "../governance/find-sensitive.ts"
import type { FileDiagnostic } from "./validate-store.ts"

/** What a file, or its name, holds that no shared memory should: places and rules, never a value. */
export function checkContent(path: string, text: string): FileDiagnostic[] {
  return [...findInPath(path).found, ...findSensitive(text)].map((each) => toDiagnostic(path, each))
}

/** A secret in a file's name is not repeated by whoever names the file. */
export function withoutSecretPath(diagnostic: FileDiagnostic): FileDiagnostic {
  const { path, message } = diagnostic
  const { shown } = findInPath(path)
  return shown === path ? diagnostic : { ...diagnostic, path: shown, message: message.replaceAll(path, shown) }
}

function toDiagnostic(path: string, { line, kind, rule, reason }: Sensitive): FileDiagnostic {
  const found = `${reason} (rule ${rule})`
  if (kind === "secret") {
    const message = `A secret: ${found}. Take it out and have it revoked.`
    return { path, line, code: "forbidden-content", severity: "error", message }
  }
  if (kind === "personal data") {
    const message = `Personal data: ${found}. "drey scrub --dry-run" shows what it would replace.`
    return { path, line, code: "personal-data", severity: "warning", message }
  }
  const message = `The gate refuses this: ${found}. Shorten it to what the team needs of it.`
  return { path, line, code: "questionable-content", severity: "warning", message }
}
