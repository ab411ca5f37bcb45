import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, test } from "vitest"
import { allRoutes, documentedRoutes, openApiDocument } from "./open-api.ts"

const root = join(import.meta.dirname, "../..")
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const document = openApiDocument(documentedRoutes, version) as {
  paths: Record<string, Record<string, { operationId: string; parameters: { name: string; in: string }[] }>>
}

test("the document in the docs matches the server", () => {
  const written = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"))
  expect(written, "run npm run docs").toEqual(JSON.parse(JSON.stringify(document)))
})

test("every schema in it is a separate JSON Schema", () => {
  const ajv = new Ajv2020({ strict: false })
  const schemas: object[] = []
  JSON.stringify(document, (key, value) => {
    if (key === "schema" && typeof value === "object") schemas.push(value)
    return value
  })
  expect(schemas.length).toBeGreaterThan(40)
  for (const schema of schemas) expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true)
})

test("every operation has a unique name, and names the parameters of its path", () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  )
  expect(operations).toHaveLength(documentedRoutes.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { path, parameters } of operations) {
    const named = parameters.filter((each) => each.in === "path").map(({ name }) => `{${name}}`)
    expect(path.match(/\{\w+\}/g) ?? []).toEqual(named)
  }
})

test("no two routes have the same address", () => {
  const names = allRoutes.map(({ method, path }) => `${method} ${path}`)
  expect(new Set(names).size).toBe(names.length)
})
