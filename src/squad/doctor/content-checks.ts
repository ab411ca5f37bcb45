import type { Sensitive } from "../../governance/find-sensitive.ts"
import { type Examined, fail, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Does anything stand in the committed files that must not? Places and rules are named, never a value. */
export const contentChecks: NamedCheck[] = [
  { name: "secrets", examine: examineSecrets },
  { name: "personal data", examine: examinePersonalData },
  { name: "forbidden content", examine: examineOther },
]

function examineSecrets(examined: Examined): Verdict {
  const places = placesOf(examined, "secret")
  if (places.length === 0) return pass("No secret was found.")
  return fail(
    `${quantity(places.length, "secret")}: ${nameSome(places)}. Have them revoked: git's history keeps them. "drey scrub --dry-run" shows what it would replace.`,
  )
}

function examinePersonalData(examined: Examined): Verdict {
  const places = placesOf(examined, "personal data")
  if (places.length === 0) return pass("No personal data was found.")
  const found = quantity(places.length, "piece of personal data", "pieces of personal data")
  return warn(`${found}: ${nameSome(places)}. "drey scrub --dry-run" shows what it would replace.`)
}

function examineOther(examined: Examined): Verdict {
  const places = placesOf(examined, "other")
  if (places.length === 0) return pass("Nothing else was found that a shared memory should not hold.")
  const found = quantity(places.length, "passage")
  return warn(
    `${found} that the gate would refuse today: ${nameSome(places)}. Shorten each to what the team needs of it.`,
  )
}

function placesOf({ sensitive }: Examined, kind: Sensitive["kind"]): string[] {
  return sensitive.filter((each) => each.kind === kind).map(({ path, line, rule }) => `${path}:${line} (${rule})`)
}
