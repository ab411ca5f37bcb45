import { existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { makeFolder } from "../disk/atomic-write.ts"
import { makeEmptyFile, makePrivate, removeFromHome, renameInHome } from "../disk/home-files.ts"
import { withLock } from "../disk/lock.ts"
import { type Database, isDamaged, openDatabase } from "../disk/sqlite.ts"
import { fileError } from "../disk/text-files.ts"

export type OpenIndexFile = {
  database: Database
  /** Identifies this file, to detect that another took its place. */
  inode: bigint
  /** The new name of an unusable file. */
  setAside: string | undefined
}

/**
 * Opens or creates an index; a file that is damaged, another program's or of another version is moved aside, never
 * deleted.
 */
export async function openIndexFile(path: string, options: { damagedInode?: bigint } = {}): Promise<OpenIndexFile> {
  const usable = () => {
    if (!existsSync(path) || inodeOf(path) === options.damagedInode) return undefined
    const database = openUsableIndex(path)
    return database && { database, inode: inodeOf(path), setAside: undefined }
  }
  const ready = usable()
  if (ready) return ready
  makeIndexFolder(dirname(path))
  return withLock(`${path}.lock`, () => {
    const meanwhile = usable()
    if (meanwhile) return meanwhile
    const setAside = existsSync(path) && statSync(path).size > 0 ? setFileAside(path) : undefined
    return { database: createIndex(path), inode: inodeOf(path), setAside }
  })
}

function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true }).ino
}

function makeIndexFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw fileError(folder, error)
  }
}

function setFileAside(path: string): string {
  let number = 1
  while (existsSync(`${path}.aside-${number}`)) number++
  const aside = `${path}.aside-${number}`
  try {
    for (const part of ["", "-wal"]) if (existsSync(path + part)) renameInHome(path + part, aside + part)
    removeFromHome(`${path}-shm`)
  } catch (error) {
    throw fileError(path, error)
  }
  return aside
}

/** Private: the index contains agents' own notes. */
function createIndex(path: string): Database {
  try {
    makeEmptyFile(path)
    makePrivate(path)
  } catch (error) {
    throw fileError(path, error)
  }
  const database = openDatabase(path, { timeoutMs: 10_000 })
  try {
    database.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL")
    database.transaction("immediate", () => {
      database.exec(schema)
      database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`)
    })
    return tuneConnection(database)
  } catch (error) {
    database.close()
    throw error
  }
}

/** True for an error that means that Drey did not write this index, whether or not SQLite can read it. */
export function isUnusable(error: unknown): boolean {
  if (isDamaged(error)) return true
  return error instanceof Error && (isOfOtherTables(error) || isOfBrokenJson(error))
}

function isOfOtherTables({ message }: Error): boolean {
  return /^(?:no such (?:table|column)\b|table \w+ has no column\b|vtable constructor failed\b)/.test(message)
}

function isOfBrokenJson(error: Error): boolean {
  return error instanceof SyntaxError && error.message.includes("JSON")
}

/** "Drey" in ASCII: distinguishes our files from other programs'. */
const applicationId = 0x44726579

/** Increases with every change to the tables, the tokenizer's output, how passages are split, or which files are read. */
export const schemaVersion = 8

/** Separate, because filling an empty table and indexing it afterwards takes a fraction of the time. */
export const itemIndexes = {
  create: `
CREATE INDEX items_place ON items (origin, position);
CREATE INDEX items_id ON items (id);
CREATE INDEX items_at ON items (at);
CREATE INDEX items_type ON items (type);
CREATE INDEX items_class ON items (class, load);
CREATE INDEX items_marked ON items (load) WHERE marked = 1;
CREATE INDEX items_linking ON items (row) WHERE supersedes <> '[]' OR superseded_by <> '[]';`,
  drop: ["place", "id", "at", "type", "class", "marked", "linking"].map((name) => `DROP INDEX items_${name}`).join(";"),
}

export const schema = `
-- writes: goes up with each transaction; rows, learnedRows: the last row numbers given out; lengths: words in all; the id of each model.
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE origins (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL);

CREATE TABLE items (
  row INTEGER PRIMARY KEY, origin INTEGER NOT NULL, position INTEGER NOT NULL, line INTEGER NOT NULL,
  id TEXT NOT NULL, source TEXT NOT NULL, type TEXT NOT NULL, class TEXT NOT NULL, load TEXT NOT NULL, marked INTEGER NOT NULL,
  agent TEXT, scope TEXT NOT NULL, at INTEGER, day_only INTEGER NOT NULL, expires INTEGER, governed INTEGER NOT NULL,
  title TEXT NOT NULL, author TEXT NOT NULL, contributors TEXT NOT NULL, tags TEXT NOT NULL, path_prefix TEXT, path TEXT NOT NULL,
  supersedes TEXT NOT NULL, superseded_by TEXT NOT NULL,
  author_keys TEXT NOT NULL,
  words_hash TEXT NOT NULL, body_hash TEXT NOT NULL, rest_hash TEXT NOT NULL
);
${itemIndexes.create}

-- In the spelling that is compared.
CREATE TABLE tags (tag TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (tag, row)) WITHOUT ROWID;
CREATE INDEX tags_row ON tags (row);

CREATE TABLE related (key TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (key, row)) WITHOUT ROWID;
CREATE INDEX related_row ON related (row);

-- file:src/login.ts, session:0f3c81d2-…, client:codex, each once.
CREATE TABLE places (number INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE);
CREATE TABLE placed (place INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (place, row)) WITHOUT ROWID;
CREATE INDEX placed_row ON placed (row);

CREATE TABLE contents (row INTEGER PRIMARY KEY, text TEXT NOT NULL, payload TEXT NOT NULL);

-- The tokens come ready from tokenize(): every character except spaces, quotes and control characters belongs to one.
CREATE VIRTUAL TABLE words USING fts5 (
  title, text, extra, content='', contentless_delete=1, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_\`{|}~'''"
);
INSERT INTO words (words, rank) VALUES ('hashsize', 16777216); -- so much is gathered before it is written: fewer pieces to merge
CREATE TABLE term_lists (row INTEGER PRIMARY KEY, list BLOB NOT NULL);
CREATE TABLE terms (hash INTEGER PRIMARY KEY, documents INTEGER NOT NULL);

CREATE TABLE static_vectors (row INTEGER PRIMARY KEY, slots BLOB NOT NULL, vectors BLOB NOT NULL);
CREATE TABLE minilm_vectors (row INTEGER PRIMARY KEY, slots BLOB NOT NULL, vectors BLOB NOT NULL);
CREATE TABLE static_blocks (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, used INTEGER NOT NULL, owners BLOB NOT NULL, bits BLOB NOT NULL);
CREATE TABLE minilm_blocks (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, used INTEGER NOT NULL, owners BLOB NOT NULL, bits BLOB NOT NULL);

CREATE TABLE links (older TEXT NOT NULL, newer TEXT NOT NULL, newer_at INTEGER, PRIMARY KEY (older, newer)) WITHOUT ROWID;
CREATE INDEX links_newer ON links (newer);
CREATE TABLE aliases (alias TEXT PRIMARY KEY, id TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX aliases_id ON aliases (id);
`

/** The tables that a rebuild empties: all but the aliases, which cannot be restored from files. */
export const derivedTables = [
  "origins",
  "items",
  "tags",
  "related",
  "places",
  "placed",
  "contents",
  "term_lists",
  "terms",
  "static_vectors",
  "minilm_vectors",
  "static_blocks",
  "minilm_blocks",
  "links",
]

/** Opens an existing file if it is ours and of this version. */
export function openUsableIndex(path: string): Database | undefined {
  let database: Database | undefined
  try {
    database = openDatabase(path, { timeoutMs: 10_000 })
    const marks = database
      .prepare<{ application_id: number; user_version: number }>(
        "SELECT * FROM pragma_application_id, pragma_user_version",
      )
      .get()
    if (marks?.application_id === applicationId && marks.user_version === schemaVersion) {
      return tuneConnection(database)
    }
  } catch (error) {
    database?.close()
    if (!isDamaged(error)) throw error
    return undefined
  }
  database.close()
  return undefined
}

function tuneConnection(database: Database): Database {
  // The index can be rebuilt: a power cut may lose the newest writes, never the file. The log of a large build is
  // truncated. With SQLite's default cache of 2 MB most pages of one search would be read twice.
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 8388608; PRAGMA cache_size = -32768")
  return database
}

type MetaValue = string | number

export function readMeta(database: Database, key: string): MetaValue | undefined {
  return database.prepare<{ value: MetaValue }>("SELECT value FROM meta WHERE key = ?").get(key)?.value
}

export function writeMeta(database: Database, key: string, value: MetaValue): void {
  database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value)
}
