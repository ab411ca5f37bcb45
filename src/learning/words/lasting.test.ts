import { expect, test } from "vitest"
import { lastingSentences } from "./lasting.ts"
import { ruleText } from "./rule-text.ts"

const learned = (message: string) => lastingSentences(message).map(ruleText)

test.each([
  ["Please use pnpm, npm breaks the lockfile.", "Use pnpm, npm breaks the lockfile."],
  ["Don't touch the generated files.", "Don't touch the generated files."],
  [
    "You must run `make generate` after changing a proto file.",
    "You must run `make generate` after changing a proto file.",
  ],
  ["Use the logger, not console.log.", "Use the logger, not console.log."],
  ["Use snake_case for column names.", "Use snake_case for column names."],
  ["Ask me before pushing.", "Ask the user before pushing."],
  ["Make small commits.", "Make small commits."],
  ["Remember to update the changelog whenever you commit.", "Update the changelog whenever you commit."],
  ["Prefer named exports over default exports.", "Prefer named exports over default exports."],
  ["no, we use vitest here, not jest", "This project uses vitest, not jest."],
  ["I want small commits", "The user wants small commits."],
  ["do not change files under vendor by hand", "Do not change files under vendor by hand."],
  ["I don't want my token to be used in CI", "The user does not want their token to be used in CI."],
  ["use a separate branch (but develop is protected on this server)", "Develop is protected on this server."],
  ["From now on, ask before you install a dependency.", "Ask before you install a dependency."],
])("%s", (said, text) => {
  expect(learned(said)).toEqual([text])
})

test.each([
  "Bitte alle Commit-Nachrichten auf Englisch schreiben, immer.",
  "Nie ohne Rückfrage auf main pushen.",
  "Les messages de commit doivent toujours être en anglais.",
  "Nunca subas credenciales al repositorio.",
  "Sempre rode os testes antes de commitar.",
  "コミットする前に必ずテストを実行してください。",
  "以后所有提交信息都用英文写。",
])("a rule in another language: %s", (said) => {
  expect(learned(said)).toHaveLength(1)
})

test.each([
  "use the blue icon in the header",
  "for now use sqlite",
  "don't commit yet",
  "the button should always be visible",
  "it always fails on my machine",
  "why do we always need a token?",
  "Add a test for the empty list.",
  "commit and push",
  "Bitte diesmal ohne Tests.",
  "Der Knopf soll immer sichtbar sein.",
  "ajoute un bouton dans la page",
  "今回はテストなしでいい",
  "先不要提交",
  "do we never commit to main?",
  "Like never push -> pull -> never push again",
  "for example never push to main",
  "never push to main, as documented in CONTRIBUTING.md",
  "Never Commit Directly",
  "never returns a value) and always throws",
  "Always check: naïve, ελληνικά, русский, 中文",
])("not lasting: %s", (said) => {
  expect(learned(said)).toEqual([])
})

test('a sentence about "it" is kept with the sentence that says what it is, or not at all', () => {
  expect(learned("The billing table belongs to another team. It must never be changed by our migrations.")).toContain(
    "The billing table belongs to another team. It must never be changed by our migrations.",
  )
  expect(learned("It must never be changed by our migrations.")).toEqual([undefined])
})

test("a message of any length is read to its end", () => {
  const long = `${"Look at the third column of the import again, it is empty. ".repeat(30)}Never commit to main.`
  expect(learned(long)).toEqual(["Never commit to main."])
})

test.each(["Never let the worker process die.", "Always name the branch that you work with.", "Never use DES."])(
  "a whole sentence may end with a word that others break off with: %s",
  (sentence) => {
    expect(lastingSentences(sentence)).toMatchObject([{ words: sentence }])
  },
)
