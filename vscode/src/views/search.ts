import * as vscode from "vscode"
import type { Backend } from "../backend/backend.ts"
import type { DescribeEntry } from "../editor/entry-hover.ts"
import type { SearchHit } from "../model/team-model.ts"
import type { Team, Teams } from "../teams.ts"
import type { WorkerClient } from "../worker-client.ts"
import { entryNode, iconOf, type TreeView, treeView } from "./tree.ts"

export type SearchView = TreeView & { ask(initial?: string): Promise<void>; clear(): void }

type Found = { team: Team; hit: SearchHit }
type SearchPick = vscode.QuickPickItem & Partial<Found> & { query?: string }

const typingPause = 150

/** Search as one types; what was found stays in the view. */
export function searchView(
  teams: Teams,
  worker: WorkerClient,
  backend: () => Backend,
  describe: DescribeEntry,
): SearchView {
  let query = ""
  let found: Found[] = []
  const tree = treeView("drey.search", () =>
    found.map(({ team, hit }) => {
      const node = entryNode(team, hit, describe)
      node.item.description = hit.snippet || node.item.description || ""
      return node
    }),
  )
  const search = async (text: string): Promise<{ found: Found[]; problems: string[] }> => {
    const answers = await Promise.all(
      teams.all().map(async (team) => ({ team, ...(await backend().search(team, text, false)) })),
    )
    return {
      found: answers.flatMap(({ team, rows }) => rows.map((hit) => ({ team, hit }))),
      problems: [...new Set(answers.flatMap(({ problems }) => problems))],
    }
  }
  const show = () => {
    tree.view.description = query
    tree.refresh()
  }
  const toPick = ({ team, hit }: Found): SearchPick => ({
    label: hit.title,
    description: [hit.type, hit.author, hit.at === 0 ? "" : new Date(hit.at).toISOString().slice(0, 10)]
      .filter(Boolean)
      .join(" · "),
    detail: hit.snippet,
    iconPath: iconOf(hit),
    alwaysShow: true,
    team,
    hit,
  })
  const completions = async (text: string): Promise<SearchPick[]> => {
    const [team] = teams.all()
    const last = text.split(/\s/).at(-1) ?? ""
    if (!team || last === "" || (last.length > 12 && !last.includes(":"))) return []
    const inserts = await worker.call("completeQuery", team.root, text, text.length)
    return inserts.slice(0, 8).map(({ start, end, insert }) => {
      const completed = text.slice(0, start) + insert + text.slice(end)
      return {
        label: `$(filter) ${completed}`,
        query: completed,
        alwaysShow: true,
        description: vscode.l10n.t("narrow the search"),
      }
    })
  }
  return {
    ...tree,
    clear() {
      query = ""
      found = []
      show()
    },
    ask(initial = query) {
      const pick = vscode.window.createQuickPick<SearchPick>()
      pick.placeholder = vscode.l10n.t(
        'Words, "a phrase", -word, type:decision, author:kane, tag:api, status:superseded, recent:7d',
      )
      pick.value = initial
      pick.matchOnDescription = true
      pick.matchOnDetail = true
      let turn = 0
      let timer: ReturnType<typeof setTimeout> | undefined
      const update = async () => {
        const own = ++turn
        const text = pick.value.trim()
        pick.busy = true
        try {
          const answer = text === "" ? { found: [], problems: [] } : await search(text)
          const further = await completions(pick.value)
          if (own !== turn) return
          const problems = answer.problems.map(
            (label): SearchPick => ({ label: `$(warning) ${label}`, alwaysShow: true }),
          )
          pick.items = [...problems, ...answer.found.map(toPick), ...further]
          query = text
          found = answer.found
        } finally {
          if (own === turn) pick.busy = false
        }
      }
      return new Promise<void>((resolve) => {
        pick.onDidChangeValue(() => {
          clearTimeout(timer)
          timer = setTimeout(() => void update(), typingPause)
        })
        pick.onDidAccept(async () => {
          const [chosen] = pick.activeItems
          if (chosen?.query !== undefined) {
            pick.value = chosen.query
            return void update()
          }
          if (chosen?.team && chosen.hit) await openEntry(chosen.team, chosen.hit)
          pick.hide()
        })
        pick.onDidHide(() => {
          clearTimeout(timer)
          pick.dispose()
          show()
          resolve()
        })
        pick.show()
        void update()
      })
    },
  }
}

export async function openEntry(
  team: Team,
  { id, path, line }: { id: string; path: string; line: number },
  preview = true,
): Promise<void> {
  if (path === "") return vscode.commands.executeCommand("drey.why", { team, id })
  const selection = new vscode.Range(line - 1, 0, line - 1, 0)
  await vscode.window.showTextDocument(team.uri(path), { selection, preview })
}
