import { expect, test } from "vitest"
import { typeOfStatement } from "./statement-type.ts"

test.each([
  ["Indent with tabs", "directive"],
  ["No force pushes to main", "directive"],
  ["run the linter before you commit", "directive"],
  ["API responses should always be camelCase", "directive"],
  ["Commit-Nachrichten bitte auf Englisch", "directive"],
  ["Keine neuen Abhängigkeiten ohne Rücksprache", "directive"],
  ["Max. line length is 120 — no exceptions.", "directive"],
  ["Les tests doivent passer avant chaque push", "directive"],
  ["Los comentarios van en inglés", "directive"],
  ["Mensagens de commit em português", "directive"],
  ["インデントはスペース2つで統一", "directive"],
  ["变量名一律用驼峰", "directive"],
  ["We decided to store orders in PostgreSQL", "decision"],
  ["We use pnpm workspaces", "decision"],
  ["we went with Redis instead of Memcached because we need pub/sub", "decision"],
  ["Wir haben uns für Vitest entschieden", "decision"],
  ["On a choisi Redis pour le cache", "decision"],
  ["Hemos decidido usar Kafka", "decision"],
  ["認証はOAuthを使うことにした", "decision"],
  ["我们决定用 Redis 做缓存", "decision"],
  ["The staging database is read-only at night", "note"],
  ["Anna owns the billing service", "note"],
  ["Der Staging-Server läuft in Frankfurt", "note"],
  ["La base de staging est en lecture seule", "note"],
])("%s: %s", (text, type) => {
  expect(typeOfStatement(text)).toEqual({ type, words: text })
})

test("a label decides, and is not part of the words", () => {
  expect(typeOfStatement("Decision: tabs it is")).toEqual({ type: "decision", words: "tabs it is" })
  expect(typeOfStatement("Regel：Tabs")).toEqual({ type: "directive", words: "Tabs" })
  expect(typeOfStatement("Note: deploys take 20 minutes")).toEqual({ type: "note", words: "deploys take 20 minutes" })
  expect(typeOfStatement("Imports: builtins first").words).toBe("Imports: builtins first")
})
