import type { WholeItem } from "../drey/search.ts"
import { DreyError } from "../errors.ts"
import { quote, quoteInline } from "../formats/quote.ts"
import { dayOf } from "../formats/timestamp.ts"
import type { allTools } from "./all-tools.ts"
import { type Answer, type Call, callingAgent, refusal } from "./call.ts"
import type { ArgumentsOf } from "./tool.ts"

type Given = ArgumentsOf<(typeof allTools)["memory_read"]["inputSchema"]>

const mostIds = 20

/** Text only: a client that also gets data would show the model the content without its quoting. */
export async function memoryRead({ ids }: Given, { drey, ...call }: Call): Promise<Answer> {
  if (ids.length === 0 || ids.length > mostIds) throw new DreyError(`memory_read takes 1 to ${mostIds} ids`)
  const isTrusted = (await drey.team.trust()).kind === "trusted"
  const read: string[] = []
  const problems: string[] = []
  for (const id of new Set(ids)) {
    const whole = await drey.search.read(id, callingAgent(call))
    if (whole.kind === "read") read.push(itemText(whole, isTrusted))
    else problems.push(problemText(id, whole))
  }
  const text = [...read, ...problems].join("\n\n")
  return read.length === 0 ? refusal(text) : { text }
}

type Read = Extract<WholeItem, { kind: "read" }>

/** One line of facts known to Drey; content from files or memories is quoted below it. */
function itemText({ item, evidence }: Read, isTrusted: boolean): string {
  const { id, source, type, at, author, contributors, title, text, path, line, agent, supersedes, supersededBy } = item
  const marks = [
    isTrusted ? `${type} (${sourceNames[source] ?? source})` : "entry", // an untrusted clone's types do not count
    at === undefined ? "undated" : dayOf(at),
    ...(item.load === "ARCHIVE" ? ["archived"] : []),
    ...(supersededBy.length > 0 ? ["superseded"] : []),
  ]
  const links: [string, readonly string[]][] = [
    ["superseded by", supersededBy],
    ["supersedes", supersedes],
    ["only for agent", agent === undefined ? [] : [agent]],
  ]
  const place = path === "" ? [] : [`${path}:${line}`]
  const words = text.startsWith(title) ? text : `${title}\n\n${text}`
  return [
    `[${quoteInline(id)}] ${marks.join(" · ")}`,
    `> by ${[[author, ...contributors].map(quoteInline).join(", "), ...place.map(quoteInline)].join(" · ")}`,
    ...links.flatMap(([name, ids]) => (ids.length === 0 ? [] : [`> ${name}: ${ids.map(quoteInline).join(", ")}`])),
    ...evidence.map(({ transcript, line: at, quote: words, created }) =>
      quote(`seen ${created.slice(0, 10)} in ${transcript}:${at}${words === "" ? "" : `: “${words}”`}`),
    ),
    ">",
    quote(words),
  ].join("\n")
}

const sourceNames: Partial<Record<Read["item"]["source"], string>> = {
  inbox: "a proposal, not merged yet",
  history: "an agent's history",
  session: "a session's note",
  skills: "a skill of the team",
}

function problemText(typed: string, whole: Exclude<WholeItem, Read>): string {
  const id = quoteInline(typed).slice(0, 80)
  if (whole.kind === "several")
    return `${id} matches several ids: ${whole.ids.slice(0, mostIds).map(quoteInline).join(", ")}`
  if (whole.kind === "none") return `No item has the id ${id}. Use memory_search to find ids.`
  const replaced = whole.replacedBy.length === 0 ? "" : `; it was replaced by ${whole.replacedBy.join(", ")}`
  return `${whole.id} is no longer active${replaced}.`
}
