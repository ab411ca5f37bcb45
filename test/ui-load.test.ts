import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"

const built = resolve(import.meta.dirname, "..", "dist", "ui")
const page = readFileSync(join(built, "index.html"), "utf8")
const parts = readdirSync(join(built, "assets")).map((name) => `assets/${name}`)
const atOnce = withStaticImports([...page.matchAll(/"\/(assets\/[^"]+\.js)"/g)].map(([, name = ""]) => name))
/** What is fetched until each page is shown. */
const loads = parts
  .filter((name) => /-page-[^/]*\.js$/.test(name))
  .map((name) => ({ name, files: withStaticImports([...atOnce, name]) }))

test("every page of the browser app loads less than 250 KB, compressed, all style sheets included", () => {
  const styles = sizeOf(parts.filter((name) => name.endsWith(".css")))
  const sizes = loads.map(({ name, files }) => ({ name, bytes: sizeOf(files) + styles }))
  expect(sizes.length).toBe(15)
  expect(Math.min(...sizes.map(({ bytes }) => bytes))).toBeGreaterThan(50_000)
  expect(sizes.filter(({ bytes }) => bytes >= 250_000)).toEqual([])
})

test("the graph of related items is fetched only when it is shown", () => {
  const drawing = parts.filter((name) => name.endsWith(".js") && read(name).includes("linLogMode"))
  expect(drawing).toHaveLength(1)
  expect(loads.flatMap(({ files }) => files).filter((name) => drawing.includes(name))).toEqual([])
})

test("the page runs no script and no style but those of its own files, and fetches nothing from elsewhere", () => {
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)[^>]*>|\son\w+=/i)
  const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses.filter((address) => !address?.startsWith("/assets/"))).toEqual([])
})

function withStaticImports(names: string[]): string[] {
  const found = new Set(names)
  for (const name of found) {
    const specifiers = [...read(name).matchAll(/(?:\bfrom|\bimport)\s*["'](\.[^"']+)["']/g)]
    for (const [, specifier = ""] of specifiers) found.add(join(dirname(name), specifier))
  }
  return [...found]
}

function sizeOf(names: string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(read(name)).length, 0)
}

function read(name: string): string {
  return readFileSync(join(built, name), "utf8")
}
