import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { join } from "node:path"
import { makeFolder } from "../disk/atomic-write.ts"
import { isSameSecret } from "../disk/hash.ts"
import { makePrivate, writeInHome } from "../disk/home-files.ts"
import { codeOf, fileError, readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"

/** `path` is the token's file; undefined if it came from the environment. */
export type BearerToken = { token: string; path: string | undefined }

const leastLength = 16

/** The token that clients must send: `DREY_MCP_TOKEN`, else one generated once and stored readable only by the user. */
export function readBearerToken(home: string, environment: NodeJS.ProcessEnv): BearerToken {
  const given = environment.DREY_MCP_TOKEN
  if (given) return { token: requireStrong(given.trim(), "DREY_MCP_TOKEN"), path: undefined }
  const path = join(home, "mcp-token")
  makeFolder(home)
  try {
    writeInHome(path, `${randomBytes(32).toString("base64url")}\n`, { isNew: true })
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw fileError(path, error)
    if ((statSync(path).mode & 0o077) !== 0) makePrivate(path)
  }
  return { token: requireStrong(readTextFile(path).text.trim(), path), path }
}

/** Whether an Authorization header contains the token. */
export function hasBearerToken(header: string | undefined, token: string): boolean {
  const shown = /^Bearer +([^ ]+) *$/i.exec(header ?? "")?.[1] ?? ""
  return isSameSecret(shown, token)
}

function requireStrong(token: string, name: string): string {
  if (token.length >= leastLength && /^[\w.~+/=-]+$/.test(token)) return token
  throw new DreyError(`${name} is not a valid token`, {
    hint: `A token has at least ${leastLength} letters, digits or the characters - . _ ~ + / =, and no spaces.`,
  })
}
