import type { Health } from "../../../src/recall/browse/app-api.ts"
import { quantity } from "../../parts/format-number.ts"
import { Panel } from "../../parts/panel.tsx"
import { Select } from "../../parts/select.tsx"
import { useSearchValues } from "../../parts/use-search-values.ts"
import { FileInPlace } from "./file-in-place.tsx"
import { groupDiagnostics } from "./group-diagnostics.ts"

const levels = [
  { value: "errors", name: "Errors", severities: ["error"] },
  { value: "", name: "Errors and warnings", severities: ["error", "warning"] },
  { value: "all", name: "Everything", severities: ["error", "warning", "info"] },
]

/** Files with something wrong in them, each line with what is wrong under it. */
export function FilesInPlace({ diagnostics, further }: Pick<Health, "diagnostics" | "further">) {
  const [values, change] = useSearchValues()
  const level = levels.find(({ value }) => value === (values.get("level") ?? "")) ?? levels[1]
  const shown = diagnostics.filter(({ severity }) => level?.severities.includes(severity))
  const files = groupDiagnostics(shown)
  return (
    <Panel
      title="Findings by file"
      actions={
        <Select
          aria-label="Severity"
          value={level?.value ?? ""}
          options={levels}
          onChange={(value) => change({ level: value }, { replace: true })}
        />
      }
    >
      <p className="health-meaning" aria-live="polite">
        {files.length === 0
          ? "No findings of this severity."
          : `${quantity(shown.length, "finding")} in ${quantity(files.length, "file")}, each below its line. Files that you fix in an editor disappear from this list.`}
      </p>
      {further > 0 && (
        <p className="health-meaning">{quantity(further, "further finding")}: drey validate prints them all.</p>
      )}
      {files.map((file) => (
        <FileInPlace key={file.path} file={file} />
      ))}
    </Panel>
  )
}
