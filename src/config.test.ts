import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { readConfig } from "./config.ts"

function configWith(user: object) {
  const home = mkdtempSync(join(tmpdir(), "drey-config-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const path = join(home, "config.json")
  writeFileSync(path, JSON.stringify(user))
  return { path, config: readConfig(undefined, { DREY_HOME: home, DREY_USER: "ines" }) }
}

test("the user's file chooses the writer", () => {
  const { config } = configWith({ writer: { provider: "google", model: "some-model" } })
  expect(config.writer).toEqual({ kind: "auto", provider: "google", model: "some-model" })
})

test("an invalid writer is reported with the path of the file, and the other settings apply", () => {
  const { config, path } = configWith({ writer: { kind: "modle" }, project: { id: "p-shop" } })
  expect(config.writer).toEqual({
    kind: "unusable",
    problem: `writer.kind in ${path} is not one of auto, rules, model, command`,
  })
  expect(config.project.id).toBe("p-shop")
  expect(configWith({ writer: { provider: "nobody" } }).config.writer.kind).toBe("unusable")
})

test("the session folder is the default one unless a file names another", () => {
  expect(configWith({}).config.sessions).toMatchObject({ root: undefined, auto: true })
  expect(configWith({ sessions: { root: "work/sessions" } }).config.sessions).toMatchObject({ root: "work/sessions" })
  expect(configWith({ sessions: { root: 7 } }).config.sessions).toMatchObject({ root: undefined })
  expect(configWith({ sessions: { auto: false } }).config.sessions.auto).toBe(false)
})
