import { defineConfig } from "vitepress"

const page = (text: string, link: string) => ({ text, link })
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
    languageAlias: { skill: "md", squadui: "md", query: "sh" },
  },
  lastUpdated: false,
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      page("Start", "/start"),
      page("Recipes", "/recipes"),
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
          page("How Drey learns", "/learning"),
          page("What goes stale", "/staleness"),
        ],
      },
      {
        text: "Recipes",
        items: [
          page("Squad", "/recipes#squad"),
          page("Claude Code", "/recipes#claude-code"),
          page("Codex", "/recipes#codex"),
          page("SquadUI", "/recipes#squadui"),
          page("A check in CI", "/recipes#a-check-in-ci"),
          page("A team", "/recipes#a-team"),
          page("What people ask", "/recipes#what-people-ask"),
          page("Checks, in full", "/checks"),
          page("Coding agents, in full", "/clients"),
          page("Sessions", "/sessions"),
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
        items: [page("Running a team server", "/team-server"), page("Memory that a team shares", "/team")],
      },
    ],
  },
})
