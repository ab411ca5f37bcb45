import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { expect, test } from "vitest"

const project = resolve(import.meta.dirname, "..")
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...pagesIn("docs")]

test.each(pages)("every link of %s leads to a file or a heading that is there", (page) => {
  const broken = linksOf(textOf(page)).filter((link) => !leadsSomewhere(page, link))
  expect(broken).toEqual([])
})

test("every page of docs is linked from another, and is in the site's menu", () => {
  const menu = readFileSync(join(project, "docs/site/.vitepress/config.mts"), "utf8")
  const linked = pages.flatMap((page) =>
    linksOf(textOf(page)).map((link) => relative(project, resolve(project, dirname(page), link.replace(/#.*/, "")))),
  )
  for (const page of pagesIn("docs")) {
    expect(linked).toContain(page)
    expect(menu).toContain(`"/${basename(page, ".md")}"`)
  }
})

test("the package has every page and picture that its README and its docs link to", () => {
  const list = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: project,
    encoding: "utf8",
  })
  const packed = JSON.parse(list)[0].files.map(({ path }: { path: string }) => path)
  const shipped = pages.filter((page) => packed.includes(page))
  expect(shipped).toEqual(expect.arrayContaining(["README.md", ...pagesIn("docs")]))
  const missing = shipped.flatMap((page) =>
    linksOf(textOf(page))
      .map((link) => relative(project, resolve(project, dirname(page), link.replace(/#.*/, ""))))
      .filter(
        (target) => target !== "" && existsSync(join(project, target)) && statSync(join(project, target)).isFile(),
      )
      .filter(
        (target) =>
          target !== page && !packed.includes(target) && page !== "CONTRIBUTING.md" && page !== "ARCHITECTURE.md",
      ),
  )
  expect(missing).toEqual([])
})

test("no page names an owner that is a placeholder", () => {
  for (const page of [...pages, "action.yml", ".pre-commit-hooks.yaml"]) expect(textOf(page)).not.toMatch(/\bOWNER\b/)
})

function pagesIn(folder: string): string[] {
  return readdirSync(join(project, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? page : relative(project, resolve(project, dirname(page), path))
  if (!existsSync(join(project, target))) return false
  return anchor === undefined || anchorsOf(textOf(target)).includes(anchor)
}

/** Links and pictures within the repository; those to elsewhere are not followed. */
function linksOf(text: string): string[] {
  return [...text.replace(/`[^`\n]*`/g, "").matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
    .map(([, link, picture]) => link ?? picture ?? "")
    .filter((link) => !/^[a-z]+:/.test(link))
}

/** The names that GitHub gives headings: lower case, no punctuation, a number for those that are there before. */
function anchorsOf(text: string): string[] {
  const counts = new Map<string, number>()
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => {
    const name = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-")
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    return count === 0 ? name : `${name}-${count}`
  })
}

/** A page without its blocks of code, in which nothing is a link or a heading. */
function textOf(page: string): string {
  return readFileSync(join(project, page), "utf8").replace(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1$/gm, "")
}
