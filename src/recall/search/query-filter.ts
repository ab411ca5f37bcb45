import type { QueryFilter } from "../../formats/query.ts"
import { type ItemStatus, itemStatuses, statusesNamed } from "../../formats/query-match.ts"
import { relatedKey } from "../../formats/related-keys.ts"
import { agentKey } from "../../formats/text.ts"
import { instantOf, parseDuration } from "../../formats/timestamp.ts"
import type { Attributes, Filter, ItemSource } from "../../index/index-store.ts"

export type FilterOptions = { agent?: string | undefined; all?: boolean | undefined; asOf?: number | undefined }

/** The filters of the query language as the index understands them. A user's search sees every agent's items. */
export function toFilter(filters: readonly QueryFilter[], options: FilterOptions, now: number): Filter {
  const clock = options.asOf ?? now
  const filter: Filter = attributesOf(filters, false, clock)
  const owner = agentKey(options.agent)
  if (owner === undefined) filter.agent = "*"
  else filter.owner = owner
  const excluded = attributesOf(filters, true, clock)
  if (Object.keys(excluded).length > 0) filter.not = excluded
  const statuses = wantedStatuses(filters, options)
  const [only] = statuses.length === 1 ? statuses : []
  if (only === "superseded") filter.superseded = "only"
  else if (statuses.includes("superseded")) filter.superseded = true
  if (only === "expired") filter.expired = "only"
  if (!statuses.includes("expired") && !statuses.includes("archived") && !statuses.includes("superseded"))
    filter.expired = "without"
  if (options.all || only === "archived" || filter.superseded === "only" || options.asOf !== undefined)
    filter.archived = true
  if (options.asOf !== undefined) filter.asOf = options.asOf
  return filter
}

/** Whether a status was requested, if the index's filter lets more of them through. */
export function statusTest(
  filters: readonly QueryFilter[],
  options: Pick<FilterOptions, "all">,
): (status: ItemStatus) => boolean {
  const statuses = wantedStatuses(filters, options)
  return (status) => statuses.includes(status)
}

/** Superseded items are hidden unless a status is requested or excluded. */
function wantedStatuses(filters: readonly QueryFilter[], { all }: Pick<FilterOptions, "all">): ItemStatus[] {
  const given = filters.filter(({ key }) => key === "status")
  const named = (negated: boolean) =>
    given.filter((filter) => filter.negated === negated).flatMap(({ value }) => statusesNamed(value))
  const isNamed = given.some(({ negated }) => !negated)
  const everything = itemStatuses.filter((status) => all || given.length > 0 || status !== "superseded")
  const excluded = named(true)
  return (isNamed ? named(false) : everything).filter((status) => !excluded.includes(status))
}

/** Requested or excluded: of several times the narrowest decides when requested, the widest when excluded. */
function attributesOf(filters: readonly QueryFilter[], excluded: boolean, now: number): Attributes {
  const values = (wanted: QueryFilter["key"]) =>
    filters.flatMap(({ key, value, negated }) => (key === wanted && negated === excluded ? [value] : []))
  const given = <Key extends keyof Attributes>(key: Key, list: NonNullable<Attributes[Key]>): Partial<Attributes> =>
    Array.isArray(list) && list.length === 0 ? {} : { [key]: list }
  const after = [
    ...values("after").map(instantOf),
    ...values("recent").map((value) => now - (parseDuration(value) ?? 0)),
  ]
  const before = values("before").map(instantOf)
  return {
    ...given("types", values("type")),
    ...given("authors", values("author")),
    ...given("tags", values("tag")),
    ...given("related", values("related").map(relatedKey)),
    ...given("files", values("file")),
    ...given("sessions", values("session")),
    ...given("clients", values("client")),
    ...given("scopes", values("scope")),
    ...given("sources", values("source") as ItemSource[]),
    ...given("ids", values("id")),
    ...(after.length > 0 ? { after: excluded ? Math.min(...after) : Math.max(...after) } : {}),
    ...(before.length > 0 ? { before: excluded ? Math.max(...before) : Math.min(...before) } : {}),
  }
}
