import { readFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { findUnlicensed } from "./find-unlicensed.ts"
import { filesInBundle, writeNotices } from "./write-notices.mjs"

/** A project with these files, bundled, with its notices. */
async function bundle(files: Record<string, string>) {
  const root = makeRepository(files)
  const dist = join(root, "dist")
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["main.js"],
    outdir: dist,
    bundle: true,
    format: "esm",
    metafile: true,
  })
  const notices = join(dist, "THIRD-PARTY-NOTICES.txt")
  writeNotices(notices, filesInBundle(metafile, root))
  return { dist, notices }
}

const manifest = (name: string) => JSON.stringify({ name, version: "1.2.3", license: "MIT", sideEffects: false })
const files = {
  "main.js":
    'import { oak } from "oak"; import { elm } from "@trees/elm"; import { ash } from "ash"; console.log(oak, elm)',
  "node_modules/oak/package.json": manifest("oak"),
  "node_modules/oak/index.js": "export const oak = 1",
  "node_modules/oak/LICENSE": "Take it.\n",
  "node_modules/@trees/elm/package.json": manifest("@trees/elm"),
  "node_modules/@trees/elm/index.js": "export const elm = 2",
  "node_modules/@trees/elm/licence.md": "Take it.\r\n",
  "node_modules/ash/package.json": manifest("ash"),
  "node_modules/ash/index.js": "export const ash = 3",
}

test("packages of which there is code in the bundle are named with their terms, which those who share them share", async () => {
  const { dist, notices } = await bundle(files)
  const [, ...sections] = readFileSync(notices, "utf8").split(/\n=+\n/)
  expect(sections).toEqual(["@trees/elm 1.2.3 (MIT)\noak 1.2.3 (MIT)\n\nTake it.\n"])
  expect(findUnlicensed(dist)).toEqual([])
})

test("a package without terms is found, and one that the notices leave out", async () => {
  const { dist, notices } = await bundle({ ...files, "main.js": 'import { ash } from "ash"; console.log(ash)' })
  expect(findUnlicensed(dist)).toEqual(["ash"])
  writeNotices(notices, [])
  expect(findUnlicensed(dist)).toEqual(["ash"])
})
