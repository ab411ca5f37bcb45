import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import type { Check } from "../../squad/doctor/check.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print } from "../print.ts"

export function doctorCommand(): Command {
  return command(
    "doctor",
    "Check the whole team folder: files, entries, references, governed memory, audit, sizes, secrets, git, and whether the files, commands and symbols that items name are still there. Changes nothing. Exit code 1 when a check fails.",
    "drey doctor\ndrey doctor --json",
  )
    .alias("health")
    .action(doctor)
}

async function doctor(options: CommonOptions): Promise<void> {
  const checks = await openDrey(options).team.check()
  print(
    options,
    () => ({ checks }),
    () => toText(checks),
  )
  if (checks.some(({ status }) => status === "fail")) process.exitCode = exitCode.no
}

function toText(checks: Check[]): string {
  const failed = checks.filter(({ status }) => status === "fail").length
  const warned = checks.filter(({ status, severity }) => status === "warn" && severity !== "info").length
  const lines = checks.map((check) => `${markOf(check)} ${check.name}: ${check.message}`)
  return [...lines, "", `${count(checks.length, "check")}: ${failed} failed, ${count(warned, "warning")}.`].join("\n")
}

function markOf({ status, severity }: Check): string {
  if (status === "warn") return severity === "info" ? "ℹ️ " : "⚠️ "
  return status === "pass" ? "✅" : "❌"
}
