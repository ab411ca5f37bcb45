/** An agent's name as items carry it: `Jane Doe` and `jane-doe` are the same. No name, or one that stands for all, is nobody's. */
export function agentKey(name: string | undefined): string | undefined {
  const key = name?.trim().replace(/\s+/g, "-").toLowerCase()
  return key === "" || key === "*" ? undefined : key
}
