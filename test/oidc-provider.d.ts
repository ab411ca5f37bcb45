/** As far as the tests use it; the package has no types of its own. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http"

  type Account = { accountId: string; claims(): Promise<object> }

  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: object[]
        claims: Record<string, string[]>
        findAccount(context: unknown, id: string): Account
        pkce: { required(): boolean }
        cookies: { keys: string[] }
      },
    )
    callback(): RequestListener
  }
}
