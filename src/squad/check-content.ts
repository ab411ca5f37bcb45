import { findInPath, findSensitive, type Sensitive } from "../governance/find-sensitive.ts"
import type { FileDiagnostic } from "./validate-store.ts"

/** Finds forbidden content in a file or its name; reports places and rules, never a value. */
export function checkContent(path: string, text: string): FileDiagnostic[] {
  return [...findInPath(path).found, ...findSensitive(text)].map((each) => toDiagnostic(path, each))
}

/** Keeps a secret in a file's name out of the diagnostic. */
export function withoutSecretPath(diagnostic: FileDiagnostic): FileDiagnostic {
  const { path, message } = diagnostic
  const { shown } = findInPath(path)
  return shown === path ? diagnostic : { ...diagnostic, path: shown, message: message.replaceAll(path, shown) }
}

function toDiagnostic(path: string, { line, kind, rule, reason }: Sensitive): FileDiagnostic {
  const found = `${reason} (rule ${rule})`
  if (kind === "secret") {
    const message = `Contains a secret: ${found}. Remove and revoke it.`
    return { path, line, code: "forbidden-content", severity: "error", message }
  }
  if (kind === "personal data") {
    const message = `Contains personal data: ${found}. Preview its removal with "drey scrub --dry-run".`
    return { path, line, code: "personal-data", severity: "warning", message }
  }
  const message = `Not suitable for shared memory: ${found}. Shorten it to what the team needs.`
  return { path, line, code: "questionable-content", severity: "warning", message }
}
