import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { expect, test } from "vitest"

/** The declarations that the package ships, which hold every signature in one printed form. */
const types = resolve(import.meta.dirname, "..", "dist", "types")
const index = resolve(types, "index.d.ts")

test("index.ts exports every type that a public function or method takes or returns", () => {
  const { exported } = readDeclarations(index)
  const missing = [...publicTypes().values()].filter(({ name }) => !exported.has(name))
  expect(missing.map(({ name, from }) => `${name}, of ${from}`).sort()).toEqual([])
})

test("every public method has an example", () => {
  const missing = [...publicTypes()].flatMap(([key, { name, body }]) => {
    const text = readFileSync(key.split(" ")[0] ?? "", "utf8")
    const whole = text.slice(text.search(new RegExp(`^export (?:declare )?(?:type|interface) ${name}\\b`, "m")))
    const hasExample = (method: string) =>
      new RegExp(`@example [^\\n]+\\s+\\*/\\n    ${method}[<(]`).test(whole.slice(0, whole.search(/^\};?$/m)))
    return methodsIn(body)
      .filter((method) => !hasExample(method))
      .map((method) => `${name}.${method}`)
  })
  expect(missing).toEqual([])
})

test("no public object has more than 20 methods", () => {
  const large = [...publicTypes().values()].filter(({ body }) => methodsIn(body).length > 20)
  expect(large.map(({ name, body }) => `${name} has ${methodsIn(body).length}`)).toEqual([])
})

test("the walk over the signatures reaches the methods of all nouns, and of the objects that they return", () => {
  const methods = Object.fromEntries([...publicTypes().values()].map(({ name, body }) => [name, methodsIn(body)]))
  expect(methods).toMatchObject({
    Contexts: expect.arrayContaining(["build"]),
    Search: expect.arrayContaining(["recent"]),
    TeamFolder: expect.arrayContaining(["merge"]),
    Memories: expect.arrayContaining(["explain"]),
    Governed: expect.arrayContaining(["write"]),
    WorkingSessions: expect.any(Array),
    Session: expect.arrayContaining(["addDiscovery"]),
    SessionPlan: ["read", "set", "updateStep", "update"],
    Clients: expect.arrayContaining(["connect"]),
    ServerClient: expect.any(Array),
    DreyOptions: [],
  })
})

type PublicType = { name: string; body: string; from: string }
type Place = { name: string; path: string }

/** The types that signatures name, from the exported functions on; those of an object's methods if it has methods. */
function publicTypes(): Map<string, PublicType> {
  const found = new Map<string, PublicType>()
  const follow = ({ name, path }: Place, from: string) => {
    const { declared, imported } = readDeclarations(path)
    const elsewhere = imported.get(name)
    if (elsewhere) return follow(elsewhere, from)
    const body = declared.get(name)
    if (body === undefined || found.has(`${path} ${name}`)) return
    const isFunction = /^export declare function\b/.test(body)
    if (!isFunction) found.set(`${path} ${name}`, { name, body, from })
    if (isFunction || methodsIn(body).length > 0) for (const each of namedIn(body, path)) follow(each, name)
  }
  for (const name of readDeclarations(index).exported)
    if (/^[a-z]/.test(name)) follow({ name, path: index }, "index.ts")
  return found
}

/** The names of methods; a callback in a request is a property. */
function methodsIn(body: string): string[] {
  return [...body.matchAll(/^ {4}(\w+)(?:<[^(]*>)?\(/gm)].map(([, name = ""]) => name)
}

type Declarations = { declared: Map<string, string>; imported: Map<string, Place>; exported: Set<string> }

const read = new Map<string, Declarations>()

function readDeclarations(path: string): Declarations {
  const known = read.get(path)
  if (known) return known
  const text = readFileSync(path, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
  const declarations: Declarations = { declared: new Map(), imported: new Map(), exported: new Set() }
  for (const [, kind, names = "", from = ""] of text.matchAll(
    /^(import|export) (?:type )?\{([^}]*)\} from "(\.[^"]+)"/gm,
  )) {
    for (const each of names.split(",").filter((name) => name.trim() !== "")) {
      const [name = "", as = name] = each
        .trim()
        .replace(/^type /, "")
        .split(" as ")
      declarations.imported.set(as, { name, path: resolve(dirname(path), from.replace(/\.ts$/, ".d.ts")) })
      if (kind === "export") declarations.exported.add(as)
    }
  }
  const statement =
    /^(?:export )?(?:declare )?(?:type|interface|class|function|const) (\w+)[\s\S]*?(?=^\w|$(?![\s\S]))/gm
  for (const [body, name = ""] of text.matchAll(statement)) declarations.declared.set(name, body)
  read.set(path, declarations)
  return declarations
}

/** The types of Drey's that a declaration names; values such as `typeof clientIds` are none. */
function namedIn(body: string, path: string): Place[] {
  const { declared, imported } = readDeclarations(path)
  const names = [...body.replace(/"[^"\n]*"/g, '""').matchAll(/(?<![.\w])[A-Z]\w*\b(?!\??:)/g)].map(([name]) => name)
  const inline = [...body.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/g)]
  return [
    ...names.filter((name) => declared.has(name) || imported.has(name)).map((name) => ({ name, path })),
    ...inline.map(([, from = "", name = ""]) => ({
      name,
      path: resolve(dirname(path), from.replace(/\.ts$/, ".d.ts")),
    })),
  ]
}
