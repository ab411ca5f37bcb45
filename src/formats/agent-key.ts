/** An agent's name as items carry it: `Jane Doe` and `jane-doe` are the same, and so are two ways to write one accent. No name, or one that stands for all, is nobody's. */
export function agentKey(name: string | undefined): string | undefined {
  const key = name?.normalize("NFC").trim().replace(/\s+/g, "-").toLowerCase()
  return key === "" || key === "*" ? undefined : key
}
