import type { Me } from "../../api.ts"
import type { Caller } from "./caller.ts"

export function describeMe({ slug, organisation, member, scopes }: Caller, version: string): Me {
  return { organisation: { slug, name: organisation }, member, scopes: [...scopes], server: version }
}
