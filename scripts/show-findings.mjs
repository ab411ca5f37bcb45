// What action.yml shows of the SARIF on standard input: each finding at its line of the pull request, how many there are, and the SARIF itself
// in a file, if one is named. Paths in it are those from FOLDER; here they become those from the root of the repository.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { posix, relative, sep } from "node:path"

const { FOLDER = ".", SARIF = "", GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env
const folder = relative(".", FOLDER).split(sep).join("/")
const sarif = JSON.parse(readFileSync(0, "utf8"))
const results = sarif.runs.flatMap((run) => run.results)

for (const { ruleId, level, message, locations } of results) {
  for (const { physicalLocation } of locations) {
    const { artifactLocation, region } = physicalLocation
    const path = posix.join(folder, decodeURIComponent(artifactLocation.uri))
    artifactLocation.uri = path.split("/").map(encodeURIComponent).join("/")
    const kind = level === "note" ? "notice" : level
    const place = `file=${escapeProperty(path)},line=${region.startLine},title=${escapeProperty(ruleId)}`
    console.log(`::${kind} ${place}::${escapeData(message.text)}`)
  }
}
if (SARIF !== "") {
  rmSync(SARIF, { force: true }) // a link that the pull request put there would lead elsewhere
  writeFileSync(SARIF, `${JSON.stringify(sarif, null, 2)}\n`, { flag: "wx" })
}

const [errors, warnings] = ["error", "warning"].map(
  (level) => results.filter((result) => result.level === level).length,
)
const summary = `Team memory: ${errors} errors, ${warnings} warnings`
console.log(summary)
appendFileSync(GITHUB_STEP_SUMMARY, `${summary}\n`)
appendFileSync(GITHUB_OUTPUT, `errors=${errors}\nwarnings=${warnings}\n`)

function escapeData(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}

function escapeProperty(text) {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}
