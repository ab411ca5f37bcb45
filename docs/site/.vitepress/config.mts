import { defineConfig } from "vitepress"

const page = (text: string, link: string) => ({ text, link })
const questions = [
  "Make Claude Code use it",
  "Use my rules from CLAUDE.md",
  "Stop it from remembering something",
  "Find and back up my data",
  "Use a model, and what it costs",
  "Share with the team, by git",
  "Work on several machines",
  "Migrate from another memory",
  "What it costs in tokens",
  "What it reads and sends",
  "Uninstall",
]
/** As GitHub names headings, so that links to them work in both places. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-")
const entries = ["drey", "drey/formats", "drey/squad-sdk"]

export default defineConfig({
  title: "Drey",
  description: "One memory for a team of coding agents",
  base: process.env.DREY_SITE_BASE ?? "/",
  srcDir: ".cache/pages",
  srcExclude: ["public/**"],
  outDir: "dist",
  cacheDir: ".cache/vitepress",
  markdown: {
    // Pages are Markdown as GitHub shows it: <name> and {name} are text.
    html: false,
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    languageAlias: { skill: "md", squadui: "md", query: "sh" },
  },
  lastUpdated: false,
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      page("Start", "/start"),
      page("Guides", "/guides"),
      page("Reference", "/cli"),
      page("Operate", "/team-server"),
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          page("What Drey is", "/start"),
          page("Quick start", "/quick-start"),
          page("Installing", "/install"),
          page("The browser app", "/ui"),
          page("In VS Code", "/vscode"),
          page("Concepts and glossary", "/concepts"),
          page("Troubleshooting and FAQ", "/troubleshooting"),
        ],
      },
      {
        text: "Guides",
        items: [
          ...questions.map((question) => page(question, `/guides#${anchorOf(question)}`)),
          page("Coding agents, in full", "/clients"),
          page("How Drey learns", "/learning"),
          page("What goes stale", "/staleness"),
          page("Sessions", "/sessions"),
          page("Checks before a commit", "/checks"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Commands", "/cli"),
          page("Formats", "/formats"),
          page("SDK", "/sdk"),
          {
            text: "SDK, name by name",
            collapsed: true,
            items: entries.map((name) => page(name, `/sdk-reference/${name}/`)),
          },
          page("MCP", "/mcp"),
          page("HTTP API", "/http-api"),
          page("JSON-RPC", "/rpc"),
          page("Benchmarks", "/benchmarks"),
        ],
      },
      {
        text: "Operate",
        items: [
          page("Running a team server", "/team-server"),
          page("Memory that a team shares", "/team"),
          page("Security", "/security"),
        ],
      },
    ],
  },
})
