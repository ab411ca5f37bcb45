/** One benchmark, as a part of the page. */
export type Section = {
  name: string
  title: string
  /** What is measured and how it is to be read. */
  about: string
  /** The script in bench/, and what it is given; undefined where it needs outside data and has none. */
  script: string
  args(data: Data): string[] | undefined
  /** Whether it prints Markdown; else its output is shown as it is. */
  prints: "markdown" | "text"
  /** Not part of the page: it is read while one works on what it measures. */
  printedOnly?: true
}

/** Outside data, by kind of folder; undefined where there is none. */
export type Data = {
  /** Data sets with questions. */
  sets: string | undefined
  /** Checked-out repositories with a team folder. */
  repositories: string | undefined
  /** Transcripts, a folder for each client. */
  transcripts: string | undefined
  /** Everything in less time: figures to look at, not to rely on. */
  quick: boolean
}

const always =
  (...args: string[]) =>
  () =>
    args
const quickly = ({ quick }: Data) => (quick ? ["--quick"] : [])

export const sections: readonly Section[] = [
  {
    name: "peers",
    title: "Drey beside its peers",
    about:
      "Every memory as it is installed from npm, in processes of its own, all in one run and in turns. Ratios are to Drey: above 1 the peer takes more. Texts are made up, the same for all (seeds 3, 11, 21 and 1,000 + size).",
    script: "peers.ts",
    args: quickly,
    prints: "markdown",
  },
  {
    name: "recall",
    title: "Finding what should be found",
    about:
      "Questions with known answers, put to Drey, to simple engines and to the peers. `npm install drey` is Drey cold: words and the shipped table of vectors; Drey resident has MiniLM beside them, which is an optional package, and MiniLM is what mem0, RRF and the sums are given too. Drey's index is asked in this process, for archived and superseded records too, since the sets do not know such states; mem0 runs without its language model, Memorix without embeddings; server-memory is asked once for each word. Mastra is not here: it returns what its vectors find in order of time, without a ranking. Intervals are paired bootstraps of 95 %.",
    script: "recall.ts",
    args: ({ sets }) => {
      const own = ["own", "amended-linked", "amended"]
      const outside = ["squad", "adr", "locomo-turn", "locomo-session", "memorycode-linked", "memorycode", "devbench"]
      return sets === undefined ? ["--sets", own.join(",")] : [sets, "--sets", [...own, ...outside].join(",")]
    },
    prints: "markdown",
  },
  {
    name: "recall-speed",
    title: "Search and contexts beside plain FTS5",
    about:
      "Drey's index and ranking in one process beside SQLite's own full-text search over the same made-up entries (seed 1).",
    script: "recall-speed.ts",
    args: quickly,
    prints: "markdown",
  },
  {
    name: "vectors",
    title: "WebAssembly beside plain arrays",
    about:
      "Why Drey has two WebAssembly modules (nearest.wat, row-sum.wat): comparing a query with every vector, and embedding texts while an index is built. The fastest of seven processes each.",
    script: "vectors.ts",
    args: always(),
    prints: "markdown",
  },
  {
    name: "hook",
    title: "Hooks and the MCP server",
    about:
      "What a hook adds to a prompt or a tool call, from the start of its process to its end, beside a script that only opens the index.",
    script: "hook.ts",
    args: always(),
    prints: "markdown",
  },
  {
    name: "memory",
    title: "Governed writes",
    about: "One governed write, on disk when it is acknowledged, in a small and in a large store.",
    script: "memory-write.ts",
    args: always(),
    prints: "markdown",
  },
  {
    name: "merge",
    title: "Merging two branches' decisions",
    about: "Pairs of branches that both changed the decision log, merged by git, by its union driver and by Drey's.",
    script: "merge-driver.ts",
    args: ({ quick }) => (quick ? ["20"] : ["200"]),
    prints: "markdown",
  },
  {
    name: "session",
    title: "Working memory",
    about: "Appending to a session's files, and building a prompt from them, beside the yaml library.",
    script: "session.ts",
    args: always(),
    prints: "markdown",
  },
  {
    name: "learning",
    title: "Learning",
    about:
      "Moments that should and should not teach something, labelled by hand, and a simulation of promotion under noise.",
    script: "learning.ts",
    args: always("--only", "labelled,simulation"),
    prints: "text",
  },
  {
    name: "transcripts",
    title: "Learning from real transcripts",
    about: "Public sessions of several clients, read, cut into episodes and learned from.",
    script: "learning.ts",
    args: ({ transcripts }) => (transcripts === undefined ? undefined : [transcripts, "--only", "clients"]),
    prints: "text",
  },
  {
    name: "format",
    title: "Reading and converting decision logs",
    about: "The logs of public repositories, read and converted; reading beside remark-parse.",
    script: "format.ts",
    args: ({ repositories }) => (repositories === undefined ? undefined : [repositories]),
    prints: "text",
  },
  {
    name: "cli",
    title: "At the keyboard",
    about:
      "What a user waits for, each a process from its start to its end. Ratios are to `node -e 0` in the same turns; that of `drey remember` in a large team folder is to the same in a small one.",
    script: "cli.ts",
    args: ({ quick }) => (quick ? ["--runs", "5"] : []),
    prints: "markdown",
  },
  {
    name: "ui",
    title: "The browser app",
    about: "A real Chromium on a large store: from a key to what it finds, painted.",
    script: "ui.ts",
    args: always(),
    prints: "markdown",
  },
  {
    name: "team",
    title: "The team server",
    about:
      "PostgreSQL with row-level security, 1,000 tenants, each figure beside the same statements put to the bare database.",
    script: "team.ts",
    args: ({ quick }) =>
      quick
        ? ["--memories", "20000", "--tenants", "50", "--requests", "60"]
        : ["--memories", "200000", "--requests", "150"],
    prints: "text",
  },
  {
    name: "squad",
    title: "Governance and tidy on real material",
    about: "Governance checks, canaries and tidy over public repositories.",
    script: "squad.ts",
    args: ({ repositories }) => (repositories === undefined ? undefined : [repositories]),
    prints: "text",
    printedOnly: true,
  },
  {
    name: "tidy",
    title: "Contexts before and after tidy",
    about: "Whether contexts find the same after tidy.",
    script: "tidy-recall.ts",
    args: ({ repositories }) => (repositories === undefined ? [] : [repositories]),
    prints: "text",
    printedOnly: true,
  },
]
