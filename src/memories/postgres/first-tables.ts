/**
 * The PostgreSQL tables of learned memory, of identities, and of the search index. Every key begins with the tenant,
 * which has a default: statements without a tenant, such as those shared with SQLite, work unchanged.
 */
export const firstTables = `
CREATE FUNCTION drey_each(list text) RETURNS TABLE (key integer, value text) LANGUAGE sql IMMUTABLE AS
  $$ SELECT (place - 1)::integer, element FROM jsonb_array_elements_text(list::jsonb) WITH ORDINALITY AS each (element, place) $$;

-- Who the rows belong to, and who may do what. -----------------------------------------------------------------------------------------

CREATE TABLE organisations (
  TENANT, slug TEXT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL,
  -- seq: increases with every change of a memory, and orders them for clients that keep copies. last_row: the number of the memory that was indexed last.
  seq bigint NOT NULL DEFAULT 0, last_row integer NOT NULL DEFAULT 0, last_space integer NOT NULL DEFAULT 0,
  -- Of all memories that were indexed: how many, and how many words they have together.
  indexed integer NOT NULL DEFAULT 0, words bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id)
);
CREATE TABLE members (
  TENANT, member_id TEXT NOT NULL, email TEXT NOT NULL, name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  subject TEXT, joined_at TEXT NOT NULL, seen_at TEXT,
  PRIMARY KEY (tenant_id, member_id)
);
CREATE UNIQUE INDEX members_email ON members (tenant_id, lower(email)) WHERE email <> '';
CREATE UNIQUE INDEX members_subject ON members (tenant_id, subject) WHERE subject IS NOT NULL;
CREATE TABLE teams (TENANT, team_id TEXT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (tenant_id, team_id));
CREATE UNIQUE INDEX teams_name ON teams (tenant_id, lower(name));
CREATE TABLE team_members (
  TENANT, team_id TEXT NOT NULL, member_id TEXT NOT NULL,
  PRIMARY KEY (tenant_id, team_id, member_id),
  FOREIGN KEY (tenant_id, team_id) REFERENCES teams ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, member_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX team_members_member ON team_members (tenant_id, member_id);
-- Of a token only a hash is kept; scopes is a list in JSON.
CREATE TABLE tokens (
  TENANT, token_id TEXT NOT NULL, member_id TEXT NOT NULL, name TEXT NOT NULL, hash bytea NOT NULL, hint TEXT NOT NULL, scopes TEXT NOT NULL,
  created_at TEXT NOT NULL, expires_at TEXT NOT NULL, used_at TEXT, revoked_at TEXT,
  PRIMARY KEY (tenant_id, token_id),
  FOREIGN KEY (tenant_id, member_id) REFERENCES members ON DELETE CASCADE
);
-- Who is signed in with a browser. token_id: by which token, which it ends with and whose scopes it has; without one all that the role has.
CREATE TABLE sign_ins (
  TENANT, sign_in_id TEXT NOT NULL, member_id TEXT NOT NULL, token_id TEXT, hash bytea NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
  PRIMARY KEY (tenant_id, sign_in_id),
  FOREIGN KEY (tenant_id, member_id) REFERENCES members ON DELETE CASCADE
);
-- One-time login links: the first owner's, and those of invited members.
CREATE TABLE invitations (
  TENANT, invitation_id TEXT NOT NULL, hash bytea NOT NULL, email TEXT NOT NULL, role TEXT NOT NULL, team_ids TEXT NOT NULL,
  invited_by TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, used_at TEXT,
  PRIMARY KEY (tenant_id, invitation_id)
);
-- What was done by whom, without any content; hash chains each line to the one before.
CREATE TABLE team_audit (
  TENANT, seq integer NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT, reason TEXT, hash bytea NOT NULL,
  PRIMARY KEY (tenant_id, seq)
);

-- Learned memory, as in SQLite. --------------------------------------------------------------------------------------------------------

CREATE TABLE projects (
  TENANT, project_id TEXT NOT NULL, root TEXT NOT NULL, other_roots TEXT NOT NULL DEFAULT '[]', git_folder TEXT,
  version bigint NOT NULL DEFAULT 1, processed integer NOT NULL DEFAULT 0, last_processed TEXT, evaluated integer NOT NULL DEFAULT 0, evaluated_at TEXT,
  -- Whether its episodes may be uploaded.
  takes_episodes integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, project_id)
);
CREATE TABLE project_aliases (
  TENANT, alias TEXT NOT NULL, project_id TEXT NOT NULL, PRIMARY KEY (tenant_id, alias),
  FOREIGN KEY (tenant_id, project_id) REFERENCES projects DEFERRABLE INITIALLY DEFERRED
);
CREATE TABLE memories (
  TENANT, memory_id TEXT NOT NULL, project_id TEXT,
  scope TEXT NOT NULL CHECK (scope IN ('global', 'project', 'repo_path')),
  path_prefix TEXT CHECK (path_prefix <> '' AND path_prefix NOT LIKE '/%' AND path_prefix NOT LIKE '%/' AND strpos(path_prefix, chr(92)) = 0
    AND '/' || path_prefix || '/' NOT LIKE '%/../%' AND '/' || path_prefix || '/' NOT LIKE '%/./%'),
  owner_type TEXT NOT NULL CHECK (owner_type IN ('user', 'team', 'org')),
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('preference', 'invariant', 'pattern', 'guard', 'note')),
  tier TEXT NOT NULL CHECK (tier IN ('short_term', 'long_term', 'emergency')),
  polarity integer NOT NULL DEFAULT 1 CHECK (polarity IN (1, -1)),
  key TEXT CHECK (key <> ''),
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 300),
  text_hash TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('provisional', 'active', 'deprecated')),
  confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  expires_at TEXT,
  pinned integer NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  flags TEXT NOT NULL DEFAULT '[]',
  trigger_json TEXT NOT NULL,
  embedding bytea, embedding_model TEXT, embedding_dims integer,
  origin TEXT NOT NULL CHECK (origin IN ('user', 'verified', 'agent', 'tool', 'import')),
  trust integer NOT NULL CHECK (trust BETWEEN 0 AND 3),
  derived_from TEXT,
  -- The display name and the identity: names change, and two members may share one.
  contributed_by TEXT, source_memory_id TEXT, contributor_id TEXT,
  version integer NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  -- Its number among the words and vectors; null until it was indexed. How many words it has.
  row_no integer, word_count integer,
  PRIMARY KEY (tenant_id, memory_id),
  FOREIGN KEY (tenant_id, project_id) REFERENCES projects DEFERRABLE INITIALLY DEFERRED,
  CHECK ((scope = 'repo_path') = (path_prefix IS NOT NULL)),
  CHECK ((scope = 'global') = (project_id IS NULL)),
  CHECK (kind <> 'guard' OR polarity = -1),
  CHECK ((embedding IS NULL) = (embedding_model IS NULL) AND (embedding IS NULL) = (embedding_dims IS NULL)),
  CHECK (embedding IS NULL OR length(embedding) = embedding_dims)
);
CREATE INDEX memories_project ON memories (tenant_id, project_id, status);
CREATE INDEX memories_text ON memories (tenant_id, text_hash);
CREATE INDEX memories_newest ON memories (tenant_id, created_at DESC, memory_id);
CREATE INDEX memories_derived ON memories (tenant_id, derived_from) WHERE derived_from IS NOT NULL;
CREATE INDEX memories_source ON memories (tenant_id, contributed_by, source_memory_id) WHERE source_memory_id IS NOT NULL;
CREATE INDEX memories_key ON memories (tenant_id, key) WHERE key IS NOT NULL;
CREATE INDEX memories_path ON memories (tenant_id, project_id, path_prefix) WHERE path_prefix IS NOT NULL;
-- Normally empty: what is live and not indexed yet, or indexed and no longer live.
CREATE INDEX memories_unindexed ON memories (tenant_id, memory_id) WHERE (row_no IS NULL) = (status <> 'deprecated');
CREATE UNIQUE INDEX memories_row ON memories (tenant_id, row_no);
CREATE UNIQUE INDEX memories_live_key
  ON memories (tenant_id, coalesce(project_id, ''), owner_type, owner_id, coalesce(path_prefix, ''), key)
  WHERE key IS NOT NULL AND status <> 'deprecated' AND kind IN ('invariant', 'preference');

CREATE TABLE tombstones (TENANT, memory_id TEXT NOT NULL, text_hash TEXT NOT NULL, project_id TEXT, purged_at TEXT NOT NULL, PRIMARY KEY (tenant_id, memory_id));
CREATE INDEX tombstones_text ON tombstones (tenant_id, text_hash);
CREATE TABLE evidence (
  TENANT, evidence_id TEXT NOT NULL, memory_id TEXT NOT NULL, episode_id TEXT NOT NULL, project_id TEXT NOT NULL,
  source TEXT NOT NULL
    CHECK (source IN ('failure_then_success', 'user_correction', 'explicit_statement', 'pattern_observed', 'guard_triggered')),
  frustration TEXT NOT NULL CHECK (frustration IN ('none', 'mild', 'moderate', 'severe')),
  created_at TEXT NOT NULL, transcript TEXT NOT NULL, line integer NOT NULL, quote TEXT NOT NULL,
  PRIMARY KEY (tenant_id, evidence_id),
  FOREIGN KEY (tenant_id, memory_id) REFERENCES memories ON DELETE CASCADE
);
CREATE INDEX evidence_memory ON evidence (tenant_id, memory_id);
CREATE INDEX evidence_episode ON evidence (tenant_id, episode_id);
CREATE TABLE memory_metrics (
  TENANT, memory_id TEXT NOT NULL,
  use_count integer NOT NULL DEFAULT 0, opportunities integer NOT NULL DEFAULT 0, passed_over integer NOT NULL DEFAULT 0,
  suspected_regret_hits integer NOT NULL DEFAULT 0, regret_misses integer NOT NULL DEFAULT 0,
  estimated_regret_saved double precision NOT NULL DEFAULT 0, net_regret double precision NOT NULL DEFAULT 0,
  last_used_at TEXT, last_hit_at TEXT, last_evaluated_at TEXT,
  PRIMARY KEY (tenant_id, memory_id),
  FOREIGN KEY (tenant_id, memory_id) REFERENCES memories ON DELETE CASCADE
);
CREATE TABLE memory_audit (
  TENANT, audit_id bigint GENERATED BY DEFAULT AS IDENTITY, memory_id TEXT NOT NULL, ts TEXT NOT NULL, action TEXT NOT NULL, reason TEXT NOT NULL,
  old_json TEXT, new_json TEXT, episode_id TEXT,
  PRIMARY KEY (tenant_id, audit_id)
);
CREATE INDEX memory_audit_memory ON memory_audit (tenant_id, memory_id);
CREATE TABLE episodes (
  TENANT, episode_id TEXT NOT NULL, project_id TEXT NOT NULL,
  client TEXT NOT NULL, session_id TEXT NOT NULL, session_start TEXT NOT NULL, ordinal integer NOT NULL, transcript TEXT NOT NULL,
  start_ts TEXT NOT NULL, end_ts TEXT NOT NULL,
  flush_reason TEXT NOT NULL
    CHECK (flush_reason IN ('task_boundary', 'resolved', 'explicit', 'session_end', 'idle', 'shutdown', 'size')),
  continuation_of TEXT, events_json TEXT NOT NULL, stats_json TEXT NOT NULL,
  error_count integer GENERATED ALWAYS AS ((stats_json::jsonb ->> 'error_count')::integer) STORED,
  retry_loops integer GENERATED ALWAYS AS ((stats_json::jsonb ->> 'retry_loops')::integer) STORED,
  processed integer NOT NULL DEFAULT 0 CHECK (processed IN (0, 1)),
  attempts integer NOT NULL DEFAULT 0, last_problem TEXT, skip_reason TEXT,
  injected integer CHECK (injected IN (0, 1)),
  PRIMARY KEY (tenant_id, episode_id),
  FOREIGN KEY (tenant_id, project_id) REFERENCES projects DEFERRABLE INITIALLY DEFERRED,
  CHECK ((processed = 1) = (injected IS NOT NULL)),
  UNIQUE (tenant_id, client, session_id, ordinal)
);
CREATE INDEX episodes_waiting ON episodes (tenant_id, session_start, client, session_id, ordinal) WHERE processed = 0;
CREATE INDEX episodes_baseline ON episodes (tenant_id, project_id, end_ts) WHERE injected = 0;
CREATE TABLE open_tasks (
  TENANT, client TEXT NOT NULL, session_id TEXT NOT NULL, project_id TEXT NOT NULL, transcript TEXT NOT NULL,
  continuation_of TEXT, events_json TEXT NOT NULL,
  PRIMARY KEY (tenant_id, client, session_id),
  FOREIGN KEY (tenant_id, project_id) REFERENCES projects DEFERRABLE INITIALLY DEFERRED
);
CREATE TABLE tasks (
  TENANT, task_id TEXT NOT NULL, project_id TEXT NOT NULL, session_id TEXT, agent TEXT, task_hash TEXT NOT NULL, ts TEXT NOT NULL,
  asked integer NOT NULL CHECK (asked IN (0, 1)), episode_id TEXT,
  outcome TEXT CHECK (outcome IN ('success', 'failure', 'partial')), note TEXT,
  PRIMARY KEY (tenant_id, task_id)
);
CREATE INDEX tasks_open ON tasks (tenant_id, project_id, task_hash) WHERE episode_id IS NULL;
CREATE INDEX tasks_session ON tasks (tenant_id, session_id);
CREATE INDEX tasks_episode ON tasks (tenant_id, episode_id);
CREATE TABLE contexts (
  TENANT, context_id TEXT NOT NULL, task_id TEXT NOT NULL, PRIMARY KEY (tenant_id, context_id),
  FOREIGN KEY (tenant_id, task_id) REFERENCES tasks ON DELETE CASCADE
);
CREATE TABLE memory_uses (
  TENANT, memory_id TEXT NOT NULL, task_id TEXT NOT NULL,
  ts TEXT NOT NULL, asked integer NOT NULL CHECK (asked IN (0, 1)), injected integer NOT NULL CHECK (injected IN (0, 1)),
  rank integer, score double precision,
  episode_id TEXT, exposed integer CHECK (exposed IN (0, 1)), cited integer CHECK (cited IN (0, 1)),
  outcome TEXT CHECK (outcome IN ('hit', 'miss', 'helped', 'wrong')), settled_at TEXT,
  regret_saved double precision NOT NULL DEFAULT 0, net_regret double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, memory_id, task_id),
  FOREIGN KEY (tenant_id, memory_id) REFERENCES memories ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, task_id) REFERENCES tasks ON DELETE CASCADE
);
CREATE INDEX memory_uses_task ON memory_uses (tenant_id, task_id);
CREATE TABLE applied_ops (TENANT, episode_id TEXT NOT NULL, op_index integer NOT NULL, memory_id TEXT, PRIMARY KEY (tenant_id, episode_id, op_index));
CREATE INDEX applied_ops_memory ON applied_ops (tenant_id, memory_id);
CREATE TABLE ingest_positions (
  TENANT, client TEXT NOT NULL, path TEXT NOT NULL, session TEXT NOT NULL,
  "offset" bigint NOT NULL, line bigint NOT NULL, stamp TEXT NOT NULL, carried TEXT NOT NULL,
  PRIMARY KEY (tenant_id, client, path, session)
);
CREATE TABLE seen_records (TENANT, hash bigint NOT NULL, PRIMARY KEY (tenant_id, hash));

-- What clients told, once each. ---------------------------------------------------------------------------------------------------------

CREATE TABLE use_events (TENANT, event_key TEXT NOT NULL, member_id TEXT NOT NULL, memory_id TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (tenant_id, event_key));

-- When each memory changed last, by the organisation's seq; those that are gone stay here, so that copies of them go as well.
CREATE TABLE memory_changes (
  TENANT, memory_id TEXT NOT NULL, seq bigint NOT NULL, project_id TEXT, owner_type TEXT NOT NULL, owner_id TEXT NOT NULL, gone integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, memory_id)
);
CREATE INDEX memory_changes_seq ON memory_changes (tenant_id, seq, memory_id);

-- What finds memories. --------------------------------------------------------------------------------------------------------------------

-- The numbers under which words and vectors are found: one for each project ('' for what holds in all of them) and team ('' for the whole
-- organisation). A member who may not see a team's memories does not see its spaces, so they are never scanned.
CREATE TABLE spaces (TENANT, project_id TEXT NOT NULL, team_id TEXT NOT NULL, space integer NOT NULL, PRIMARY KEY (tenant_id, project_id, team_id));

-- The numbers of the memories that hold a word, some hundred of them to a row.
CREATE TABLE postings (
  TENANT, space integer NOT NULL, term integer NOT NULL, segment integer NOT NULL, rows integer[] NOT NULL,
  PRIMARY KEY (tenant_id, space, term, segment)
);
-- In how many memories a word stands.
CREATE TABLE terms (TENANT, term integer NOT NULL, documents integer NOT NULL, PRIMARY KEY (tenant_id, term));
-- One bit a dimension. bucket: which of the space's centres is nearest; 0 as long as a space is small enough to be looked through.
CREATE TABLE memory_bits (
  TENANT, space integer NOT NULL, bucket integer NOT NULL, row_no integer NOT NULL, bits bit(256) NOT NULL,
  PRIMARY KEY (tenant_id, space, bucket, row_no)
);
-- The centres of a space's buckets, each 32 bytes, by number from 1.
CREATE TABLE buckets (TENANT, space integer NOT NULL, centres bytea NOT NULL, made_from integer NOT NULL, made_at TEXT NOT NULL, PRIMARY KEY (tenant_id, space));
`

/** With pgvector, whole vectors are stored beside the bits and used for nearest-neighbour search. */
export const wholeVectors = `
DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') THEN
    CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
    ALTER TABLE drey.memory_bits ADD COLUMN vector public.vector(256);
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'pgvector is there, but this user may not use it: bits must do';
END $$;
`

/**
 * Maintains versions and the order of changes. Every memory touched by a statement gets its own number, so that a page
 * can end anywhere.
 */
export const firstTriggers = `
CREATE FUNCTION note_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE now_seq bigint;
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT 1 FROM old_rows) THEN RETURN NULL; END IF;
    UPDATE organisations SET seq = seq + (SELECT count(*) FROM old_rows) RETURNING seq INTO now_seq;
    UPDATE projects SET version = version + 1
      WHERE project_id IN (SELECT project_id FROM old_rows) OR EXISTS (SELECT 1 FROM old_rows WHERE project_id IS NULL);
    INSERT INTO memory_changes (memory_id, seq, project_id, owner_type, owner_id, gone)
      SELECT memory_id, coalesce(now_seq + 1 - row_number() OVER (ORDER BY memory_id DESC), 0), project_id, owner_type, owner_id, 1 FROM old_rows
      ON CONFLICT (tenant_id, memory_id) DO UPDATE SET seq = excluded.seq, gone = 1;
  ELSIF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT 1 FROM new_rows) THEN RETURN NULL; END IF;
    UPDATE organisations SET seq = seq + (SELECT count(*) FROM new_rows) RETURNING seq INTO now_seq;
    UPDATE projects SET version = version + 1
      WHERE project_id IN (SELECT project_id FROM new_rows) OR EXISTS (SELECT 1 FROM new_rows WHERE project_id IS NULL);
    INSERT INTO memory_changes (memory_id, seq, project_id, owner_type, owner_id)
      SELECT memory_id, coalesce(now_seq + 1 - row_number() OVER (ORDER BY memory_id DESC), 0), project_id, owner_type, owner_id FROM new_rows
      ON CONFLICT (tenant_id, memory_id) DO UPDATE SET seq = excluded.seq, gone = 0, project_id = excluded.project_id, owner_type = excluded.owner_type, owner_id = excluded.owner_id;
  ELSE
    IF NOT EXISTS (SELECT 1 FROM new_rows JOIN old_rows USING (memory_id) WHERE new_rows.version <> old_rows.version
        OR new_rows.project_id IS DISTINCT FROM old_rows.project_id OR new_rows.owner_id <> old_rows.owner_id) THEN
      RETURN NULL; -- only the index or a vector changed
    END IF;
    UPDATE organisations SET seq = seq + (SELECT count(*) FROM new_rows) RETURNING seq INTO now_seq;
    UPDATE projects SET version = version + 1
      WHERE project_id IN (SELECT project_id FROM new_rows UNION SELECT project_id FROM old_rows) OR EXISTS (SELECT 1 FROM new_rows WHERE project_id IS NULL);
    INSERT INTO memory_changes (memory_id, seq, project_id, owner_type, owner_id)
      SELECT memory_id, coalesce(now_seq + 1 - row_number() OVER (ORDER BY memory_id DESC), 0), project_id, owner_type, owner_id FROM new_rows
      ON CONFLICT (tenant_id, memory_id) DO UPDATE SET seq = excluded.seq, gone = 0, project_id = excluded.project_id, owner_type = excluded.owner_type, owner_id = excluded.owner_id;
  END IF;
  PERFORM pg_notify('drey_changed', current_setting('app.tenant', true));
  RETURN NULL;
END $$;
CREATE TRIGGER memories_added AFTER INSERT ON memories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changes();
CREATE TRIGGER memories_changed AFTER UPDATE ON memories REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changes();
CREATE TRIGGER memories_removed AFTER DELETE ON memories REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changes();

-- A deleted memory is removed from the index; one that moves to another project, or gets a vector of another model, is indexed again. In how
-- many memories its words stand is not counted down here, where nobody knows its words: a rare word seems a little less rare.
CREATE FUNCTION drop_from_index() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.row_no IS NOT NULL THEN
    DELETE FROM memory_bits WHERE row_no = OLD.row_no;
    UPDATE postings SET rows = array_remove(rows, OLD.row_no) WHERE segment = OLD.row_no / 256 AND OLD.row_no = ANY (rows);
    UPDATE organisations SET indexed = indexed - 1, words = words - coalesce(OLD.word_count, 0);
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.row_no := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_removed BEFORE DELETE ON memories FOR EACH ROW EXECUTE FUNCTION drop_from_index();
CREATE TRIGGER memory_moved BEFORE UPDATE OF project_id, owner_type, owner_id, embedding_model ON memories FOR EACH ROW
  WHEN (OLD.project_id IS DISTINCT FROM NEW.project_id OR OLD.owner_type <> NEW.owner_type OR OLD.owner_id <> NEW.owner_id
    OR OLD.embedding_model IS DISTINCT FROM NEW.embedding_model) EXECUTE FUNCTION drop_from_index();

-- Asked at the end of every transaction that writes: what comes behind the deletion of an organisation must not leave rows that a later one
-- of the same name would find.
CREATE FUNCTION require_organisation() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('app.leaving', true), '') <> 'yes' AND NOT EXISTS (SELECT 1 FROM organisations) THEN
    RAISE EXCEPTION 'there is no such organisation' USING ERRCODE = 'DR404';
  END IF;
END $$;
`
