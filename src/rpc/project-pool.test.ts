import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { openProjects } from "./project-pool.ts"

function place() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "drey-projects-")))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const root = join(home, "shop")
  mkdirSync(join(root, ".squad"), { recursive: true })
  const environment = { HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  return { root, projects: openProjects({ listed: async () => [], environment, warn: () => {} }) }
}

test("a project is opened once, and again after a reload", async () => {
  const { root, projects } = place()
  const first = await projects.at(root)
  expect(await projects.at(join(root, ".squad"))).toBe(first)
  projects.reload()
  expect(await projects.at(root)).not.toBe(first)
  await projects.close()
})

test("a replaced project is closed as soon as no call is pending, and not before", async () => {
  const { root, projects } = place()
  const { drey } = await projects.at(root)
  const close = vi.spyOn(drey, "close")
  let finish = () => {}
  const isFinished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const slow = projects.serving(() => isFinished)
  await projects.serving(async () => projects.reload())
  expect(close).not.toHaveBeenCalled()
  finish()
  await slow
  expect(close).toHaveBeenCalledOnce()
  await projects.close()
  expect(close).toHaveBeenCalledOnce()
})
