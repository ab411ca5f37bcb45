/** Where one agent is shown. */
export function agentHref(name: string): string {
  return `/agents/${encodeURIComponent(name)}`
}
