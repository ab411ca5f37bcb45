import { defaultMemoryConfigText } from "../memory/memory-config.ts"

/** What a new team folder begins with. A file that is there already is never touched. */
export const starterFiles: { path: string; text: string }[] = [
  {
    path: "decisions.md",
    text: `# Squad Decisions

## Active Decisions

No decisions recorded yet.

## Governance

- New decisions go to \`decisions/inbox/\`, one file each; the merge brings them here.
- A changed decision is a new entry that supersedes the old one.
- Secrets and personal data are never written down.
`,
  },
  { path: "decisions/inbox/.gitkeep", text: "" }, // git keeps no empty folders
  { path: "memory/config.json", text: defaultMemoryConfigText },
]
