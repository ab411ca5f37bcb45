import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import type { FileDiagnostic, Validation } from "../../team/validation.ts"
import { command } from "../command.ts"
import { colors, toJson, writeOut } from "../output.ts"
import { type CommonOptions, count } from "../print.ts"

type Options = CommonOptions & {
  format: "text" | "json" | "github" | "sarif"
  staged?: boolean
  strict?: boolean
  quiet?: boolean
}

export function validateCommand(): Command {
  return command(
    "validate",
    "Validate every entry: fields, dates, references, code fences, merge conflicts. Exit code 1 when there are errors.",
    "drey validate\ndrey validate .squad/decisions.md --format github\ndrey validate --staged --strict",
  )
    .argument("[files...]", "Markdown files, or .json files with entries; default: the whole team folder")
    .addOption(
      new Option("--format <format>", "output format").choices(["text", "json", "github", "sarif"]).default("text"),
    )
    .option("--staged", "check what is staged for the next commit")
    .option("--strict", "treat warnings as errors")
    .option("-q, --quiet", "errors only")
    .action(validate)
}

async function validate(files: string[], options: Options): Promise<void> {
  const what = options.staged
    ? ({ kind: "staged" } as const)
    : files.length > 0
      ? ({ kind: "files", paths: files } as const)
      : ({ kind: "store" } as const)
  const validation = await openDrey(options).team.validate(what)
  const diagnostics = validation.diagnostics
    .map(
      (each): FileDiagnostic => (options.strict && each.severity === "warning" ? { ...each, severity: "error" } : each),
    )
    .filter((each) => !options.quiet || each.severity === "error")
    .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line))
  const totals = {
    files: validation.files,
    entries: validation.entries,
    errors: diagnostics.filter(({ severity }) => severity === "error").length,
    warnings: diagnostics.filter(({ severity }) => severity === "warning").length,
  }
  const format = options.json ? "json" : options.format
  const text = render[format]({ totals, diagnostics, validation })
  writeOut(text, { paged: format === "text" })
  const isUnreadable = what.kind === "files" && diagnostics.some(({ code }) => code === "unreadable")
  if (totals.errors > 0) process.exitCode = isUnreadable ? exitCode.usage : exitCode.no
}

type Report = {
  totals: { files: number; entries: number; errors: number; warnings: number }
  diagnostics: FileDiagnostic[]
  validation: Validation
}

const render: Record<Options["format"], (report: Report) => string> = {
  text: renderText,
  json: ({ totals, diagnostics }) => `${toJson({ totals, diagnostics })}\n`,
  github: renderGitHub,
  sarif: renderSarif,
}

function renderText({ totals, diagnostics, validation }: Report): string {
  const lines = diagnostics.map(
    ({ path, line, code, severity, message }) =>
      `${path}:${line}  ${paint[severity](severity)}  ${message} ${colors.dim(`(${code})`)}`,
  )
  const legacy = validation.legacy > 0 ? `, ${validation.legacy} of them legacy` : ""
  const summary = `${count(totals.entries, "entry", "entries")} in ${count(totals.files, "file")}${legacy}: ${count(totals.errors, "error")}, ${count(totals.warnings, "warning")}.`
  return `${[...lines, ...(lines.length > 0 ? [""] : []), summary].join("\n")}\n`
}

const paint = { error: colors.red, warning: colors.yellow, info: colors.blue }

/** Workflow commands: GitHub shows each at its line of the pull request. */
function renderGitHub({ diagnostics }: Report): string {
  const level = { error: "error", warning: "warning", info: "notice" }
  return diagnostics
    .map(
      ({ path, line, code, severity, message }) =>
        `::${level[severity]} file=${escapeProperty(path)},line=${line},title=${code}::${escapeData(message)}\n`,
    )
    .join("")
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}

function renderSarif({ diagnostics }: Report): string {
  const level = { error: "error", warning: "warning", info: "note" }
  const rules = [...new Set(diagnostics.map(({ code }) => code))].sort()
  const document = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "drey", rules: rules.map((id) => ({ id })) } },
        results: diagnostics.map(({ path, line, code, severity, message }) => ({
          ruleId: code,
          level: level[severity],
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: path.split("/").map(encodeURIComponent).join("/") },
                region: { startLine: line },
              },
            },
          ],
        })),
      },
    ],
  }
  return `${toJson(document)}\n`
}
