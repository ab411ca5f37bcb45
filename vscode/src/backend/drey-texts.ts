import type * as vscode from "vscode"

type L10n = Pick<typeof vscode.l10n, "t">

export type ContextAnswer = {
  context_prompt: string
  tokens: number
  budget: number
  included: { id: string; source: string; reason: string; title: string }[]
  left: number
}

/** A context as an agent would get it, then why each part is in it. */
export function contextText(
  { context_prompt: text, tokens, budget, included, left }: ContextAnswer,
  l10n: L10n,
): string {
  if (included.length === 0) return ""
  const rest = left > 0 ? `, ${l10n.t("{0} did not fit", left)}` : ""
  const reasons = included.map(({ title, reason }) => `- **${oneLine(title)}**: ${oneLine(reason)}`)
  return [
    `${l10n.t("{0} of {1} tokens, {2} items", tokens, budget, included.length)}${rest}`,
    fenced(text.trim()),
    `## ${l10n.t("Why each is in it")}`,
    reasons.join("\n"),
  ].join("\n\n")
}

export type Explained = {
  row: { id: string; type: string; status: string; title: string; author: string; at: number | null; path: string }
  text: string
  evidence: { quote: string; source: string; at: string | null; from: string }[]
  metrics: { name: string; value: string }[]
  outlook: string[]
  history: { at: string; action: string; reason: string }[]
  uses: { at: string; agent: string | null; reason: string | null; outcome: string | null }[]
  older: { id: string; title: string }[]
  newer: { id: string; title: string }[]
}

const mostUses = 15

/** Where something comes from, whether it earned its place, and whom it was handed to. */
export function whyText(found: Explained, l10n: L10n): string {
  const { row, text, evidence, metrics, outlook, history, uses, older, newer } = found
  const day = (at: string | number | null) => (at === null ? "" : new Date(at).toISOString().slice(0, 10))
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${heading}`, lines.map((line) => `- ${line}`).join("\n")]
  const facts = [row.type, row.status, row.author, day(row.at), row.path].filter(Boolean).join(" · ")
  return [
    `# ${oneLine(row.title)}`,
    `${oneLine(facts)} · \`${row.id}\``,
    ...(text.trim() === "" || text.trim() === row.title.trim() ? [] : [quoted(text)]),
    ...section(
      l10n.t("Where it comes from"),
      evidence.map(
        ({ quote, source, at, from }) =>
          `“${oneLine(quote)}” (${oneLine([source.replaceAll("_", " "), day(at), from.replace(/^.*[\\/]/, "")].filter(Boolean).join(", "))})`,
      ),
    ),
    ...section(
      l10n.t("Its record"),
      metrics.map(({ name, value }) => `${oneLine(name)}: ${oneLine(value)}`),
    ),
    ...section(l10n.t("What happens next"), outlook.map(oneLine)),
    ...section(
      l10n.t("Superseded by"),
      newer.map(({ title, id }) => `${oneLine(title)} (\`${id}\`)`),
    ),
    ...section(
      l10n.t("Supersedes"),
      older.map(({ title, id }) => `${oneLine(title)} (\`${id}\`)`),
    ),
    ...section(
      l10n.t("Handed over"),
      uses
        .slice(0, mostUses)
        .map(({ at, agent, reason, outcome }) =>
          [day(at), agent ?? "", outcome ?? "", reason ?? ""].filter(Boolean).map(oneLine).join(" · "),
        ),
    ),
    ...section(
      l10n.t("History"),
      history.map(({ at, action, reason }) => `${day(at)}: ${oneLine(action)}, ${oneLine(reason)}`),
    ),
  ].join("\n\n")
}

/** Stored text is shown as text: no heading, link or markup of it takes effect. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>#|~]/g, "\\$&")
    .trim()
}

function quoted(text: string): string {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => `> ${line.replace(/[\\`*_{}[\]<>#|~]/g, "\\$&")}`)
    .join("\n")
}

function fenced(text: string): string {
  const longest = Math.max(3, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length + 1))
  const fence = "`".repeat(longest)
  return `${fence}markdown\n${text}\n${fence}`
}
