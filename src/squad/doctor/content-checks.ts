import type { Sensitive } from "../../governance/find-sensitive.ts"
import { type Examined, fail, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Look for forbidden content in committed files. Messages name places and rules, never a value. */
export const contentChecks: NamedCheck[] = [
  { name: "secrets", examine: examineSecrets },
  { name: "personal data", examine: examinePersonalData },
  { name: "forbidden content", examine: examineOther },
]

function examineSecrets(examined: Examined): Verdict {
  const places = placesOf(examined, "secret")
  if (places.length === 0) return pass("No secrets found.")
  return fail(
    `${quantity(places.length, "secret")}: ${nameSome(places)}. Revoke them, because git's history keeps them. Preview their removal with "drey scrub --dry-run".`,
  )
}

function examinePersonalData(examined: Examined): Verdict {
  const places = placesOf(examined, "personal data")
  if (places.length === 0) return pass("No personal data found.")
  const found = quantity(places.length, "piece of personal data", "pieces of personal data")
  return warn(`${found}: ${nameSome(places)}. Preview their removal with "drey scrub --dry-run".`)
}

function examineOther(examined: Examined): Verdict {
  const places = placesOf(examined, "other")
  if (places.length === 0) return pass("No other forbidden content found.")
  const found = quantity(places.length, "passage")
  return warn(`${found} not suitable for shared memory: ${nameSome(places)}. Shorten each to what the team needs.`)
}

function placesOf({ sensitive }: Examined, kind: Sensitive["kind"]): string[] {
  return sensitive.filter((each) => each.kind === kind).map(({ path, line, rule }) => `${path}:${line} (${rule})`)
}
