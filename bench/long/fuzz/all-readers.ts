import type { Reader } from "./reader.ts"
import { databaseFiles, databaseRows } from "./readers/databases.ts"
import { legacyEntries, semEntries } from "./readers/entries.ts"
import { markdownNotes, mem0Export, serverGraph } from "./readers/foreign-stores.ts"
import { hooks } from "./readers/hooks.ts"
import { foreignNotes, teamBundle } from "./readers/imports.ts"
import { mcpHttp, mcpLines, mcpStdio } from "./readers/mcp.ts"
import { sessionYaml } from "./readers/session-yaml.ts"
import { settingsJson, settingsToml } from "./readers/settings.ts"
import { learnedBundle, managedBlock, policyToml, queries, skills } from "./readers/small-formats.ts"
import { teamApi } from "./readers/team-api.ts"
import { transcripts } from "./readers/transcripts.ts"
import { webApi } from "./readers/web-api.ts"

/** Everything of Drey's that reads what others wrote. */
export const allReaders: readonly Reader[] = [
  semEntries,
  legacyEntries,
  sessionYaml,
  policyToml,
  skills,
  queries,
  learnedBundle,
  teamBundle,
  foreignNotes,
  mem0Export,
  serverGraph,
  markdownNotes,
  managedBlock,
  settingsJson,
  settingsToml,
  ...transcripts,
  ...databaseRows,
  ...databaseFiles,
  ...hooks,
  mcpLines,
  mcpStdio,
  mcpHttp,
  webApi,
  teamApi,
]
