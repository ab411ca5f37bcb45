import { Composer, type Document, Lexer, Parser, visit, type YAMLError } from "yaml"
import { buildYamlTree, type YamlTree } from "./build-yaml-tree.ts"
import type { SessionProblemCode } from "./session-problem.ts"

export type ParsedYaml = ({ kind: "parsed" } & YamlTree) | { kind: "broken"; faults: YamlFault[] }

/** What keeps a text from being read as YAML, and where in it. */
export type YamlFault = { code: SessionProblemCode; offset: number; message: string }

/** The library and all that walks its result recurse: without a limit, a text of nothing but brackets would end the process. */
const deepest = 100

const options = {
  schema: "core", // whatever a %YAML directive says
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false, // would compare every key with every other; the tree's builder looks for them in one pass
  keepSourceTokens: true,
} as const

/** Parses one document of YAML 1.2's core schema. Never throws. */
export function parseYaml(text: string): ParsedYaml {
  const { documents, tooDeep } = compose(text)
  if (tooDeep !== undefined) {
    return broken([{ code: "syntax", offset: tooDeep, message: `This is nested more than ${deepest} levels deep.` }])
  }
  const [document, second] = documents
  if (!document?.contents) return broken([{ code: "syntax", offset: 0, message: "The file is empty." }])
  const faults = libraryFaults(document)
  if (second) {
    const message = "A second document begins here; a session file must be a single document."
    faults.push({ code: "syntax", offset: second.range[0], message })
  }
  if (faults.length > 0) return broken(faults)
  const tree = buildYamlTree(document.contents, text)
  return tree.faults.length > 0 ? broken(tree.faults) : { kind: "parsed", ...tree }
}

function broken(faults: YamlFault[]): ParsedYaml {
  return { kind: "broken", faults: faults.sort((one, other) => one.offset - other.offset) }
}

function compose(text: string): { documents: Document.Parsed[]; tooDeep: number | undefined } {
  const parser = new Parser()
  let tooDeep: number | undefined
  function* tokens() {
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme)
      if (parser.stack.length > deepest) {
        tooDeep = parser.offset
        return
      }
    }
    yield* parser.end()
  }
  const documents = [...new Composer(options).compose(tokens(), true, text.length)]
  return { documents, tooDeep }
}

function libraryFaults(document: Document.Parsed): YamlFault[] {
  const tags = document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED")
  const errors = [...document.errors, ...tags]
  const quotes = errors.some(({ code }) => code === "MISSING_CHAR") ? findQuotes(document) : new Map<number, number>()
  return errors.map((error) => toFault(error, quotes))
}

function toFault({ code, pos, message }: YAMLError, quotes: ReadonlyMap<number, number>): YamlFault {
  const offset = pos[0]
  if (code === "TAG_RESOLVE_FAILED") {
    return { code: "custom-tag", offset, message: `${message}. Only the tags of YAML's core schema are supported.` }
  }
  const quote = code === "MISSING_CHAR" ? quotes.get(offset) : undefined
  if (quote !== undefined) return { code: "syntax", offset: quote, message: "Missing closing quote." }
  const hint = code === "BLOCK_AS_IMPLICIT_KEY" ? ' A text that contains ": " needs quotes.' : ""
  return { code: "syntax", offset, message: `${message}.${hint}` }
}

/** Where each quoted text begins, by where it ends. A quote that is not closed is noticed at the end of the file, as a rule. */
function findQuotes(document: Document.Parsed): Map<number, number> {
  const starts = new Map<number, number>()
  visit(document, {
    Scalar(_, { type, range }) {
      if (type?.startsWith("QUOTE") && range) starts.set(range[1], range[0])
    },
  })
  return starts
}
