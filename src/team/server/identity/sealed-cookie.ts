import { createHmac, timingSafeEqual } from "node:crypto"
import { parse } from "hono/utils/cookie"

/** A signed cookie; servers with the same key can read it. */
export type SealedCookie<Value> = {
  seal(value: Value): string
  unseal(request: Request): Value | undefined
  drop(): string
}

export type SealOptions = { key: string; publicUrl: string; path: string; now: () => Date }

const goodForSeconds = 600

/** SameSite=Lax, because the browser returns with it from the provider's site. */
export function openSealedCookie<Value>(name: string, { key, publicUrl, path, now }: SealOptions): SealedCookie<Value> {
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`
  const sign = (text: string) => createHmac("sha256", `drey cookie\n${key}`).update(`${name}\n${text}`).digest()
  return {
    seal(value) {
      const until = now().getTime() + goodForSeconds * 1000
      const text = Buffer.from(JSON.stringify({ value, until })).toString("base64url")
      return `${name}=${text}.${sign(text).toString("base64url")}; ${attributes}; Max-Age=${goodForSeconds}`
    },
    unseal(request) {
      const [text = "", seal = ""] = (parse(request.headers.get("cookie") ?? "", name)[name] ?? "").split(".")
      const shown = Buffer.from(seal, "base64url")
      const right = sign(text)
      if (shown.length !== right.length || !timingSafeEqual(shown, right)) return undefined
      const { value, until }: { value: Value; until: number } = JSON.parse(Buffer.from(text, "base64url").toString())
      return until > now().getTime() ? value : undefined
    },
    drop: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}
