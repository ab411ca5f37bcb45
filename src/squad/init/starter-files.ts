import { defaultMemoryConfigText } from "../memory/memory-config.ts"

/** The initial files of a team folder. Existing files are never changed. */
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
  { path: "decisions/inbox/.gitkeep", text: "" }, // git does not track empty folders
  { path: "memory/config.json", text: defaultMemoryConfigText },
]
