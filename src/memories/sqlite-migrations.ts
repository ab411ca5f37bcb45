import type { Database } from "../disk/sqlite.ts"
import { applicationId } from "./ledger.ts"

/** Runs the missing migrations atomically; a published migration never changes. */
export function migrateSqlite(database: Database, steps: readonly string[] = sqliteMigrations): void {
  database.transaction("immediate", () => {
    const row = database.prepare<{ user_version: number }>("PRAGMA user_version").get()
    for (const step of steps.slice(row?.user_version ?? 0)) database.exec(step)
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}`)
  })
}

const firstTables = `
-- version: goes up whenever a memory changes that the project may see. git_folder: tells a repository whose remote changed from
-- another one in its place. processed and evaluated: episodes in all, and at the last evaluation; last_processed: the latest of them.
CREATE TABLE projects (
  project_id TEXT PRIMARY KEY, root TEXT NOT NULL, other_roots TEXT NOT NULL DEFAULT '[]', git_folder TEXT,
  version INTEGER NOT NULL DEFAULT 1, processed INTEGER NOT NULL DEFAULT 0, last_processed TEXT, evaluated INTEGER NOT NULL DEFAULT 0, evaluated_at TEXT
) WITHOUT ROWID;
-- Ids that a project had before its remote changed.
CREATE TABLE project_aliases (alias TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects) WITHOUT ROWID;

CREATE TABLE memories (
  memory_id TEXT PRIMARY KEY,
  project_id TEXT REFERENCES projects,
  scope TEXT NOT NULL CHECK (scope IN ('global', 'project', 'repo_path')),
  path_prefix TEXT CHECK (path_prefix <> '' AND path_prefix NOT LIKE '/%' AND path_prefix NOT LIKE '%/' AND instr(path_prefix, char(92)) = 0
    AND '/' || path_prefix || '/' NOT LIKE '%/../%' AND '/' || path_prefix || '/' NOT LIKE '%/./%'),
  owner_type TEXT NOT NULL CHECK (owner_type IN ('user', 'team', 'org')),
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('preference', 'invariant', 'pattern', 'guard', 'note')),
  tier TEXT NOT NULL CHECK (tier IN ('short_term', 'long_term', 'emergency')),
  polarity INTEGER NOT NULL DEFAULT 1 CHECK (polarity IN (1, -1)),
  key TEXT CHECK (key <> ''),
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 300),
  text_hash TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('provisional', 'active', 'deprecated')),
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  expires_at TEXT,
  pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  flags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(flags)),
  trigger_json TEXT NOT NULL CHECK (json_valid(trigger_json)),
  embedding BLOB, embedding_model TEXT, embedding_dims INTEGER,
  origin TEXT NOT NULL CHECK (origin IN ('user', 'verified', 'agent', 'tool', 'import')),
  trust INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 3),
  derived_from TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  CHECK ((scope = 'repo_path') = (path_prefix IS NOT NULL)),
  CHECK ((scope = 'global') = (project_id IS NULL)),
  CHECK (kind <> 'guard' OR polarity = -1),
  CHECK ((embedding IS NULL) = (embedding_model IS NULL) AND (embedding IS NULL) = (embedding_dims IS NULL)),
  CHECK (embedding IS NULL OR length(embedding) = embedding_dims)
) WITHOUT ROWID;
CREATE INDEX memories_project ON memories (project_id, status);
CREATE INDEX memories_text ON memories (text_hash);
CREATE INDEX memories_derived ON memories (derived_from) WHERE derived_from IS NOT NULL;
CREATE UNIQUE INDEX memories_live_key
  ON memories (coalesce(project_id, ''), owner_type, owner_id, coalesce(path_prefix, ''), key)
  WHERE key IS NOT NULL AND status <> 'deprecated' AND kind IN ('invariant', 'preference');

CREATE TRIGGER memory_added AFTER INSERT ON memories BEGIN
  UPDATE projects SET version = version + 1 WHERE new.project_id IS NULL OR project_id = new.project_id;
END;
CREATE TRIGGER memory_changed
  AFTER UPDATE OF project_id, scope, path_prefix, kind, tier, polarity, key, text, status, confidence, expires_at, pinned, flags, trust, version
  ON memories BEGIN
  UPDATE projects SET version = version + 1
  WHERE new.project_id IS NULL OR old.project_id IS NULL OR project_id IN (new.project_id, old.project_id);
END;
CREATE TRIGGER memory_removed AFTER DELETE ON memories BEGIN
  UPDATE projects SET version = version + 1 WHERE old.project_id IS NULL OR project_id = old.project_id;
END;

-- Ids of memories that were purged, and a hash of what they said: neither comes back from what happened before.
CREATE TABLE tombstones (memory_id TEXT PRIMARY KEY, text_hash TEXT NOT NULL, project_id TEXT, purged_at TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE evidence (
  evidence_id TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL REFERENCES memories ON DELETE CASCADE,
  episode_id TEXT NOT NULL, project_id TEXT NOT NULL,
  source TEXT NOT NULL
    CHECK (source IN ('failure_then_success', 'user_correction', 'explicit_statement', 'pattern_observed', 'guard_triggered')),
  frustration TEXT NOT NULL CHECK (frustration IN ('none', 'mild', 'moderate', 'severe')),
  created_at TEXT NOT NULL, transcript TEXT NOT NULL, line INTEGER NOT NULL, quote TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX evidence_memory ON evidence (memory_id);

-- Sums over memory_uses, which can be made again at any time; only evaluated_at is known nowhere else.
CREATE TABLE memory_metrics (
  memory_id TEXT PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
  use_count INTEGER NOT NULL DEFAULT 0, opportunities INTEGER NOT NULL DEFAULT 0, passed_over INTEGER NOT NULL DEFAULT 0,
  suspected_regret_hits INTEGER NOT NULL DEFAULT 0, regret_misses INTEGER NOT NULL DEFAULT 0,
  estimated_regret_saved REAL NOT NULL DEFAULT 0, net_regret REAL NOT NULL DEFAULT 0,
  last_used_at TEXT, last_hit_at TEXT, last_evaluated_at TEXT
) WITHOUT ROWID;

-- What Drey did about memories and why; of the text of another memory it says nothing.
CREATE TABLE memory_audit (
  audit_id INTEGER PRIMARY KEY, memory_id TEXT NOT NULL, ts TEXT NOT NULL, action TEXT NOT NULL, reason TEXT NOT NULL,
  old_json TEXT, new_json TEXT, episode_id TEXT
);
CREATE INDEX memory_audit_memory ON memory_audit (memory_id);

-- session_start and ordinal: the order in which episodes are learned from. injected: null until it is settled.
CREATE TABLE episodes (
  episode_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects,
  client TEXT NOT NULL, session_id TEXT NOT NULL, session_start TEXT NOT NULL, ordinal INTEGER NOT NULL, transcript TEXT NOT NULL,
  start_ts TEXT NOT NULL, end_ts TEXT NOT NULL,
  flush_reason TEXT NOT NULL
    CHECK (flush_reason IN ('task_boundary', 'resolved', 'explicit', 'session_end', 'idle', 'shutdown', 'size')),
  continuation_of TEXT,
  events_json TEXT NOT NULL CHECK (json_valid(events_json)),
  stats_json TEXT NOT NULL CHECK (json_valid(stats_json)),
  error_count INTEGER GENERATED ALWAYS AS (json_extract(stats_json, '$.error_count')) VIRTUAL,
  retry_loops INTEGER GENERATED ALWAYS AS (json_extract(stats_json, '$.retry_loops')) VIRTUAL,
  processed INTEGER NOT NULL DEFAULT 0 CHECK (processed IN (0, 1)),
  attempts INTEGER NOT NULL DEFAULT 0, last_problem TEXT, skip_reason TEXT,
  injected INTEGER CHECK (injected IN (0, 1)),
  CHECK (processed = (injected IS NOT NULL)),
  UNIQUE (client, session_id, ordinal)
);
CREATE INDEX episodes_waiting ON episodes (session_start, client, session_id, ordinal) WHERE processed = 0;
CREATE INDEX episodes_baseline ON episodes (project_id, end_ts) WHERE injected = 0;

CREATE TABLE open_tasks (
  client TEXT NOT NULL, session_id TEXT NOT NULL, project_id TEXT NOT NULL REFERENCES projects, transcript TEXT NOT NULL,
  continuation_of TEXT, events_json TEXT NOT NULL CHECK (json_valid(events_json)),
  PRIMARY KEY (client, session_id)
);

-- asked = 0: no context was asked for. episode_id: the episode it turned out to belong to; until then the task is open.
CREATE TABLE tasks (
  task_id TEXT PRIMARY KEY, project_id TEXT NOT NULL, session_id TEXT, agent TEXT, task_hash TEXT NOT NULL, ts TEXT NOT NULL,
  asked INTEGER NOT NULL CHECK (asked IN (0, 1)), episode_id TEXT,
  outcome TEXT CHECK (outcome IN ('success', 'failure', 'partial')), note TEXT
) WITHOUT ROWID;
CREATE INDEX tasks_open ON tasks (project_id, task_hash) WHERE episode_id IS NULL;
CREATE INDEX tasks_session ON tasks (session_id);
CREATE INDEX tasks_episode ON tasks (episode_id);
-- Every context carries an id of its own, also when the same open task is asked for again.
CREATE TABLE contexts (context_id TEXT PRIMARY KEY, task_id TEXT NOT NULL REFERENCES tasks ON DELETE CASCADE) WITHOUT ROWID;

-- A row is an opportunity: the memory was eligible and relevant. injected: it was handed out.
CREATE TABLE memory_uses (
  memory_id TEXT NOT NULL REFERENCES memories ON DELETE CASCADE,
  task_id TEXT NOT NULL REFERENCES tasks ON DELETE CASCADE,
  ts TEXT NOT NULL, asked INTEGER NOT NULL CHECK (asked IN (0, 1)), injected INTEGER NOT NULL CHECK (injected IN (0, 1)),
  rank INTEGER, score REAL,
  episode_id TEXT, exposed INTEGER CHECK (exposed IN (0, 1)), cited INTEGER CHECK (cited IN (0, 1)),
  outcome TEXT CHECK (outcome IN ('hit', 'miss', 'helped', 'wrong')), settled_at TEXT,
  regret_saved REAL NOT NULL DEFAULT 0, net_regret REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (memory_id, task_id)
) WITHOUT ROWID;
CREATE INDEX memory_uses_task ON memory_uses (task_id);

CREATE TABLE applied_ops (
  episode_id TEXT NOT NULL, op_index INTEGER NOT NULL, memory_id TEXT, PRIMARY KEY (episode_id, op_index)
) WITHOUT ROWID;

-- session: which one of a database that holds several, else ''.
CREATE TABLE ingest_positions (
  client TEXT NOT NULL, path TEXT NOT NULL, session TEXT NOT NULL,
  offset INTEGER NOT NULL, line INTEGER NOT NULL, stamp TEXT NOT NULL, carried TEXT NOT NULL,
  PRIMARY KEY (client, path, session)
) WITHOUT ROWID;
-- 64 bits of a hash of client and record id.
CREATE TABLE seen_records (hash INTEGER PRIMARY KEY);
`

/** Team memory: who shared it, and the memory it was copied from. */
const contributors = `
ALTER TABLE memories ADD COLUMN contributed_by TEXT;
ALTER TABLE memories ADD COLUMN source_memory_id TEXT;
`

/** What to report to a team server about one use: the current row, and what this change added. */
const useBody = (occasion: string, saved: string, net: string) => `
  INSERT INTO team_outbox (kind, memory_id, task_id, occasion, body)
  SELECT 'use', new.memory_id, new.task_id, ${occasion}, json_object(
    'project', project_id, 'at', coalesce(new.settled_at, new.ts), 'injected', new.injected, 'outcome', new.outcome,
    'exposed', coalesce(new.exposed, 0), 'cited', coalesce(new.cited, 0), 'regretSaved', ${saved}, 'netRegret', ${net})
  FROM tasks WHERE task_id = new.task_id
  ON CONFLICT DO NOTHING;`

/**
 * Copies of team memory, sync cursors, and the outbox of unacknowledged changes. Triggers add uses to the outbox, so
 * that every use is reported in its own transaction, and only on the client.
 */
const teamTables = `
-- version: the server's, by which the newer word is known.
CREATE TABLE team_copies (
  memory_id TEXT PRIMARY KEY REFERENCES memories ON DELETE CASCADE, version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX memories_source ON memories (source_memory_id) WHERE source_memory_id IS NOT NULL;
-- project_id: '' for what is every project's.
CREATE TABLE team_cursors (project_id TEXT PRIMARY KEY, changes_until INTEGER NOT NULL) WITHOUT ROWID;
-- occasion: with memory and task it names a use for ever. attempts: from the first on, it may have arrived.
CREATE TABLE team_outbox (
  entry INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('use', 'share', 'unshare')),
  memory_id TEXT NOT NULL, task_id TEXT, occasion TEXT,
  body TEXT NOT NULL CHECK (json_valid(body)), attempts INTEGER NOT NULL DEFAULT 0,
  CHECK ((kind = 'use') = (task_id IS NOT NULL) AND (kind = 'use') = (occasion IS NOT NULL))
);
CREATE UNIQUE INDEX team_outbox_uses ON team_outbox (memory_id, task_id, occasion) WHERE kind = 'use';

CREATE TRIGGER team_use_added AFTER INSERT ON memory_uses
  WHEN EXISTS (SELECT 1 FROM team_copies WHERE memory_id = new.memory_id) BEGIN ${useBody(
    `CASE WHEN new.settled_at IS NOT NULL THEN 'reported ' || new.settled_at WHEN new.injected THEN 'handed out' ELSE 'passed over' END`,
    "new.regret_saved",
    "new.net_regret",
  )}
END;
CREATE TRIGGER team_use_handed_out AFTER UPDATE OF injected ON memory_uses
  WHEN new.injected > old.injected AND EXISTS (SELECT 1 FROM team_copies WHERE memory_id = new.memory_id) BEGIN ${useBody(
    "'handed out'",
    "0",
    "0",
  )}
END;
CREATE TRIGGER team_use_settled AFTER UPDATE OF settled_at ON memory_uses
  WHEN EXISTS (SELECT 1 FROM team_copies WHERE memory_id = new.memory_id) BEGIN ${useBody(
    "CASE WHEN new.outcome IN ('helped', 'wrong') AND new.outcome IS NOT old.outcome THEN 'reported ' ELSE 'settled ' END || new.settled_at",
    "new.regret_saved - old.regret_saved",
    "new.net_regret - old.net_regret",
  )}
END;
`

/** Projects whose episodes the user shares with the team, and which episodes the server has received. */
const teamEpisodes = `
-- A project whose remote was changed may be another team's: the consent goes with its old id. is_agreed: what the server says of its own side.
CREATE TABLE team_consents (
  project_id TEXT PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  from_ts TEXT NOT NULL, is_agreed INTEGER CHECK (is_agreed IN (0, 1))
) WITHOUT ROWID;
CREATE TABLE team_sent_episodes (
  episode_id TEXT PRIMARY KEY REFERENCES episodes ON DELETE CASCADE, is_refused INTEGER NOT NULL CHECK (is_refused IN (0, 1))
) WITHOUT ROWID;
`

/**
 * NULL: the episode is older than summaries; one is then made from its events. '': the user has forgotten it. The
 * version goes up with each change; the index has all that shows whether something changed.
 */
export const episodeSummaries = `
ALTER TABLE episodes ADD COLUMN summary_json TEXT;
ALTER TABLE episodes ADD COLUMN summary_version INTEGER NOT NULL DEFAULT 0;
CREATE INDEX episodes_by_start ON episodes (project_id, start_ts, summary_version);
`

/** Of a sub-agent's episode: its name, if known, and the session whose agent started it. */
export const subAgents = `
ALTER TABLE episodes ADD COLUMN agent TEXT;
ALTER TABLE episodes ADD COLUMN parent_session TEXT;
`

/** Each migrates a database from the previous version to its own number, starting at 1. */
export const sqliteMigrations: readonly string[] = [
  firstTables,
  contributors,
  teamTables,
  teamEpisodes,
  episodeSummaries,
  subAgents,
]
