import { expect, test } from "vitest"
import { openDrey } from "../src/index.ts"
import { makeRepository } from "./run-cli.ts"

/** What the hook stores of prompts, each as the only one of its session. */
async function captureEach(prompts: readonly string[]): Promise<{ saved: string[]; proposed: string[] }> {
  const drey = openDrey({ root: makeRepository({ ".squad/decisions.md": "# Squad Decisions\n" }) })
  const outcome = { saved: [] as string[], proposed: [] as string[] }
  for (const prompt of prompts)
    for (const { kind } of await drey.team.captureRules(prompt)) {
      if (kind === "captured" || kind === "known") outcome.saved.push(prompt)
      if (kind === "proposed") outcome.proposed.push(prompt)
    }
  await drey.close()
  return outcome
}

/** Six languages, none of them in the sentences that the classifier was trained on. */
const typedRules = [
  "Always run the formatter before you hand code back to me.",
  "Please never amend a commit that is already pushed.",
  "We use uv for Python, not pip.",
  "Put new components under src/ui, one folder each.",
  "don't write to the console in library code, there's a logger",
  "Prices are stored as integer cents.",
  "I like short functions with early returns.",
  "from now on explain the plan first, then code",
  "Our CI only runs on Linux.",
  "Every public function gets a doc comment with an example.",
  "all user facing strings go through the i18n helper",
  "Tests must not reach the network.",
  "we switched from Jest to Vitest",
  "ask before adding a dependency",
  "Wir verwenden Yarn und nicht npm.",
  "Bitte schreib alle Commit-Nachrichten auf Englisch.",
  "Nie Dateien unter vendor/ anfassen!",
  "Kommentare bitte immer auf Deutsch",
  "Ab sofort keine any-Typen mehr.",
  "Unsere Datenbank ist MariaDB 10.11.",
  "On utilise Poetry pour les dépendances.",
  "Ne modifie jamais les migrations déjà appliquées.",
  "Réponds-moi toujours en français.",
  "Les noms de variables doivent être en anglais.",
  "À partir de maintenant, lance les tests avant chaque commit.",
  "Aquí usamos Bun, no Node.",
  "Nunca hagas push directo a la rama principal.",
  "Los mensajes de commit van en español.",
  "Prefiero funciones puras antes que clases.",
  "Siempre pregunta antes de borrar archivos.",
  "Usamos tabs, não espaços.",
  "Nunca altere os arquivos gerados na pasta dist.",
  "Os testes ficam ao lado do código.",
  "Sempre use o nosso wrapper de HTTP em vez de axios.",
  "我们用 pnpm,不要用 npm。",
  "提交信息一律用英文写。",
  "以后改动数据库结构之前先问我。",
  "不要修改 generated 目录下的文件。",
  "所有时间都用 UTC 保存。",
  "请始终使用 TypeScript 的严格模式。",
]

/** Requests, questions, wishes for the product, one-off instructions and reports in the same languages. */
const otherPrompts = [
  "Run the formatter on this file.",
  "Can you amend the last commit with this change?",
  "Why did we switch from pip to uv?",
  "Create a new component for the sidebar under src/ui.",
  "The console prints a warning when I open the page, have a look",
  "don't commit this yet",
  "use the second approach",
  "Show the price with two decimals in the cart.",
  "I like it, thanks!",
  "Now explain the plan for the login page.",
  "The build is red again since this morning.",
  "Never mind, I found it.",
  "Every row in this table should show the author's avatar.",
  "The button must be disabled while the form is being sent.",
  "Let's leave the tests out for the moment.",
  "Is there always a token in the header?",
  "we'll do the migration tomorrow",
  "I ran the tests and two of them fail",
  "Benutz erst mal die alte Bibliothek.",
  "Kannst du die Commit-Nachricht kürzer machen?",
  "Die Seite lädt nie, wenn ich abgemeldet bin.",
  "Mach das bitte rückgängig.",
  "Warum ist die Datei unter vendor/ geändert?",
  "Der Knopf soll grün sein.",
  "Ajoute un test pour cette fonction.",
  "Ça ne marche toujours pas.",
  "Pourquoi les migrations sont-elles appliquées deux fois ?",
  "Cette fois, utilise un tableau.",
  "El botón nunca aparece en móviles.",
  "Borra el archivo temporal, por favor.",
  "¿Siempre se ejecuta este hook?",
  "Ahora agrega paginación a la lista.",
  "Corrige o erro de tipo em user.ts",
  "Ainda não funciona no Safari.",
  "Por enquanto deixa assim.",
  "帮我看一下这个报错。",
  "把按钮的颜色改成蓝色。",
  "这个接口为什么总是返回空数组?",
  "先不要提交,等我确认。",
  "测试都通过了,谢谢。",
]

test("of forty rules that are typed into prompts, at least thirty-two are captured", async () => {
  expect(typedRules).toHaveLength(40)
  const { saved } = await captureEach(typedRules)
  expect(new Set(saved).size).toBeGreaterThanOrEqual(32)
})

test("of forty prompts without a rule, none is captured or proposed", async () => {
  expect(otherPrompts).toHaveLength(40)
  expect(await captureEach(otherPrompts)).toEqual({ saved: [], proposed: [] })
})
