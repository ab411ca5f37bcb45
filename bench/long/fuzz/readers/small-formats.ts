import { isDeepStrictEqual } from "node:util"
import { readManagedBlock, removeManagedBlock, writeManagedBlock } from "../../../../src/formats/managed-block.ts"
import { parsePolicy } from "../../../../src/formats/policy-toml.ts"
import { completeQuery, formatQuery, parseQuery } from "../../../../src/formats/query.ts"
import { foldText } from "../../../../src/formats/query-match.ts"
import { readSkill, writeSkill } from "../../../../src/formats/skill.ts"
import { readLearnedBundle } from "../../../../src/memories/learned-bundle.ts"
import { expectThat, type Reader } from "../reader.ts"

export const policyToml: Reader = {
  name: "policy-toml",
  share: 80,
  examples: () => [
    '# ours\n[promotion.default]\nmin_uses = 3\n\n[retrieval]\nbudget_tokens = 400\n"top_k" = 8 # few\nweights = { semantic_similarity = 0.5, tier_boost = 1 }\n',
    '[decay.guard]\nmax_inactive_days = \'never\'\n[ttl.default]\nshort_term_days = 14\n[[rules]]\nname = """a\nb"""\n[similarity."minilm"]\nduplicate_similarity=.9\n',
  ],
  grammar: {
    text: ["<table><text>", "<pair><text>", "<table>"],
    table: ["[<name>]\n<pairs>", "[[<name>]]\n<pairs>", "[<name>.<name>]\n<pairs>"],
    name: [
      "promotion",
      "default",
      "decay",
      "retrieval",
      "weights",
      "ttl",
      "commit",
      "baseline",
      '"<word>"',
      "__proto__",
      "constructor",
      "guard",
    ],
    pairs: ["<pair><pairs>", "<pair>"],
    pair: ["<key> = <value>\n", "<key>.<key> = <value>\n", "<key> = <value> # <word>\n"],
    key: ["min_uses", "top_k", "max_inactive_days", "budget_tokens", "__proto__", '"<word>"', "k"],
    value: [
      "<number>",
      '"<word>"',
      "'<word>'",
      "[<value>, <value>]",
      "{ <key> = <value> }",
      "true",
      "nan",
      "1979-05-27T07:32:00Z",
      '"""<word>\n<word>"""',
      "1",
    ],
  },
  open: () => ({ read: (input) => parsePolicy(input.toString("utf8"), "memory_policy.toml") }),
}

/** What was read is written as a skill that reads and writes the same. */
export const skills: Reader = {
  name: "skill",
  share: 70,
  examples: () => [
    '---\nname: release\ndescription: "How to cut a release: tag, notes"\nconfidence: HIGH\ntools:\n  - gh\n  - name: npm\n    when: publishing\ntriggers: [release, publish]\nroles: lead, scribe\nversion: 1.0\nlicense: MIT\n---\n\n## Steps\n\n1. Tag.\n',
    "# release\n\n**Confidence:** low\n**Updated:** 2026-02-15\n\nTag first.\n",
  ],
  grammar: {
    text: ["---\n<fields>---\n\n<body>", "# <word>\n\n**Confidence:** <word>\n<body>", "<body>"],
    fields: ["<field><fields>", "<field>"],
    field: [
      "name: <word>\n",
      "description: <word>\n",
      "tools: [<word>, {name: <word>}]\n",
      "triggers:\n  - <word>\n",
      "confidence: <word>\n",
      "<word>: &a <word>\n",
      "extra: *a\n",
      "__proto__: { polluted: true }\n",
    ],
    body: ["<word>\n\n<body>", "## <word>\n<body>", "---\n<body>", "<word>"],
  },
  open: () => ({
    read(input) {
      const text = input.toString("utf8")
      const skill = readSkill(text, "release")
      if (/\r(?!\n)/.test(text)) return skill // such a line ending is not kept
      const written = writeSkill(skill)
      expectThat(writeSkill(readSkill(written, "release")) === written, "a written skill reads as that skill")
      return skill
    },
  }),
}

/** A query that was read is written so that it reads as the same; problems and completions lie within the text. */
export const queries: Reader = {
  name: "query",
  share: 200,
  examples: () => [
    'type:decision author:"Jane Doe" tag:v0.3.0 after:2026-02-01 "free text" word -excluded -tag:old',
    "recent:7d -status:superseded scope:agent:kane id:sem-0123456789ab",
  ],
  grammar: {
    text: ["<token> <text>", "<token>\n<text>", "<token>"],
    token: ["<key>:<word>", "-<key>:<word>", '<key>:"<word>"', '"<word> <word>"', "-<word>", '"', "<word>"],
    key: [
      "type",
      "author",
      "tag",
      "scope",
      "source",
      "status",
      "id",
      "after",
      "before",
      "recent",
      "AUTHOR",
      "<word>",
      "tag",
    ],
  },
  open: () => ({
    read(input) {
      const text = input.toString("utf8")
      const parsed = parseQuery(text)
      if (parsed.kind === "query") {
        const again = parseQuery(formatQuery(parsed.query))
        expectThat(isDeepStrictEqual(again, parsed), "a written query reads as that query")
        for (const term of parsed.query.terms.slice(0, 5)) foldText(term.text)
      } else
        for (const { start, end } of parsed.problems)
          expectThat(start >= 0 && start < end && end <= text.length, "a problem lies within the text")
      const completions = completeQuery(text, text.length % (text.length + 1), { tag: ["a b", "__proto__"] })
      for (const { start, end } of completions)
        expectThat(start <= end && end <= text.length, "a completion lies within the text")
      return [parsed, completions]
    },
  }),
}

export const learnedBundle: Reader = {
  name: "learned-bundle",
  share: 80,
  examples: () => [
    JSON.stringify({
      version: "1.0",
      exported_at: "2026-03-02T09:00:00.000Z",
      memories: [
        {
          id: "m-0123456789abcdef",
          project_id: null,
          scope: "repo_path",
          path_prefix: "src/feed",
          owner_type: "user",
          owner_id: "ines",
          kind: "guard",
          tier: "long_term",
          polarity: -1,
          key: "project.test.command",
          text: "Never run make clean",
          status: "active",
          confidence: 0.8,
          expires_at: null,
          created_at: "2026-03-01T09:00:00Z",
          updated_at: "2026-03-02 09:00:00+01:00",
        },
      ],
    }),
  ],
  largest: 128 * 1024,
  open: () => ({ read: (input) => readLearnedBundle(input.toString("utf8")) }),
}

/** Drey's block in a user's file: inserted and removed again, it leaves no trace. */
export const managedBlock: Reader = {
  name: "managed-block",
  share: 40,
  examples: () => [
    "# Agents\n\nBe kind.\n\n<!-- drey:begin -->\nAsk first.\n<!-- drey:end -->\n\nMore.\n",
    "\uFEFF# Agents\r\n\r\nBe kind.",
  ],
  open: () => ({
    read(input) {
      const text = input.toString("utf8")
      const had = readManagedBlock(text)
      const written = writeManagedBlock(text, "Ask Drey.\n\nThen act.")
      expectThat(readManagedBlock(written) === "Ask Drey.\n\nThen act.", "a block that was written is there")
      if (had === undefined && text.trim() !== "")
        expectThat(removeManagedBlock(written) === text, "a block goes without a trace")
      return had
    },
  }),
}
