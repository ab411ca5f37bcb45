import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from "yaml"
import type { SessionProblem, SessionProblemCode } from "./session-problem.ts"

export type ParsedYaml = ({ kind: "parsed" } & YamlTree) | { kind: "broken"; faults: YamlFault[] }

/** What keeps a text from being read as YAML, and where in it. */
export type YamlFault = { code: SessionProblemCode; offset: number; message: string }

/** The library and everything that walks its result recurse: without a limit, a text of nothing but brackets would crash the process. */
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

/** Where each quoted text begins, by where it ends. An unclosed quote is usually noticed only at the end of the file. */
function findQuotes(document: Document.Parsed): Map<number, number> {
  const starts = new Map<number, number>()
  visit(document, {
    Scalar(_, { type, range }) {
      if (type?.startsWith("QUOTE") && range) starts.set(range[1], range[0])
    },
  })
  return starts
}

/** A value and where it is written. Offsets count from the start of the text. */
export type YamlNode = {
  value: unknown
  style: "block map" | "block list" | "flow" | "alias" | "scalar"
  /** With its anchor and tag. */
  start: number
  /** The end of its part on the line of its key or dash; a comment may follow there. */
  inlineEnd: number
  /** Behind its last character; line ends do not count. */
  end: number
  /** The column of its keys or dashes, in block style. */
  column: number
  entries: YamlEntry[]
}

/** A key or a dash, and its value. */
export type YamlEntry = {
  /** Of a map. */
  key?: string
  start: number
  /** After the colon or the dash; `undefined` if there is none, as in flow style. */
  behind: number | undefined
  node: YamlNode
}

type YamlTree = { root: YamlNode; aliases: YamlNode[]; anchored: boolean }

/** The node at one step of a path. */
export function findEntry({ value, entries }: YamlNode, step: string | number): YamlEntry | undefined {
  if (Array.isArray(value)) return typeof step === "number" ? entries[step] : undefined
  return entries.find(({ key }) => key === step)
}

/** How much the aliases of a file may add to it: plenty for lists that repeat, far too little for a bomb. */
const aliasedCharacters = 200_000

/** Converts the library's tree to what reading and editing need. All values are frozen, aliases are expanded. */
function buildYamlTree(contents: ParsedNode, text: string): YamlTree & { faults: YamlFault[] } {
  const building: Building = { text, faults: [], anchors: new Map(), aliases: [], aliased: 0 }
  const root = toNode(contents, { behind: contents.range[0], between: [] }, building)
  return { root, aliases: building.aliases, anchored: building.anchors.size > 0, faults: building.faults }
}

type Building = {
  text: string
  faults: YamlFault[]
  /** `undefined` while its node is being built. */
  anchors: Map<string, { value: unknown; characters: number } | undefined>
  aliases: YamlNode[]
  /** How many characters aliases have added so far. */
  aliased: number
}

/** What a value is attached to: where its colon or dash ends, and the tokens from there to the value. */
type Holder = { behind: number; between: CST.SourceToken[] }

function toNode(node: ParsedNode | null, holder: Holder, building: Building): YamlNode {
  const place = placeOf(node, holder)
  if (!node) return { ...place, style: "scalar", value: null }
  if (isAlias(node)) return toAlias(node, place, building)
  const aliasedBefore = building.aliased
  if (node.anchor !== undefined) building.anchors.set(node.anchor, undefined)
  const built = isMap(node)
    ? toMap(node, place, holder, building)
    : isSeq(node)
      ? toList(node, place, holder, building)
      : toScalar(node, place, building)
  if (node.anchor !== undefined) {
    const characters = 1 + node.range[1] - node.range[0] + building.aliased - aliasedBefore
    building.anchors.set(node.anchor, { value: built.value, characters })
  }
  return built
}

type Place = Omit<YamlNode, "style" | "value">

function placeOf(node: ParsedNode | null, { behind, between }: Holder): Place {
  const properties = between.filter(({ type }) => type === "anchor" || type === "tag")
  const last = properties.at(-1)
  const propertiesEnd = last ? last.offset + last.source.length : behind
  const written = node && node.range[1] > node.range[0]
  const start = properties[0]?.offset ?? (written ? node.range[0] : behind)
  const end = written ? node.range[1] : propertiesEnd
  return { start, inlineEnd: end, end, column: 0, entries: [] }
}

function toScalar(node: Scalar.Parsed, place: Place, { text }: Building): YamlNode {
  const built: YamlNode = { ...place, style: "scalar", value: node.value }
  if (node.srcToken?.type !== "block-scalar") return built
  const header = node.srcToken.props.find((token) => token.type === "block-scalar-header") as CST.SourceToken
  built.inlineEnd = header.offset + header.source.length
  if (text.endsWith("\n", built.end)) built.end -= text.endsWith("\r\n", built.end) ? 2 : 1
  return built
}

function toAlias(node: Alias.Parsed, place: Place, building: Building): YamlNode {
  const alias: YamlNode = { ...place, style: "alias", value: null }
  if (building.aliased > aliasedCharacters) return alias // reported already, and not followed any further
  const offset = place.start
  const anchored = building.anchors.get(node.source)
  if (anchored) {
    alias.value = anchored.value
    building.aliases.push(alias)
    building.aliased += anchored.characters
    if (building.aliased <= aliasedCharacters) return alias
    const message = `The aliases up to here expand to more than ${aliasedCharacters} characters.`
    building.faults.push({ code: "too-many-aliases", offset, message })
  } else if (building.anchors.has(node.source)) {
    const message = `The alias *${node.source} refers to itself.`
    building.faults.push({ code: "too-many-aliases", offset, message })
  } else {
    building.faults.push({ code: "syntax", offset, message: `There is no anchor &${node.source} before this alias.` })
  }
  return alias
}

function toList(node: YAMLSeq.Parsed, place: Place, holder: Holder, building: Building): YamlNode {
  const source = node.srcToken
  const dashes =
    source?.type === "block-seq" ? source.items.flatMap(({ start }) => toHolder(start, "seq-item-ind")) : []
  const entries = node.items.map((item, index): YamlEntry => {
    const dash = dashes[index]
    const child = toNode(item, dash ?? { behind: item.range[0], between: [] }, building)
    return { start: dash ? dash.behind - 1 : child.start, behind: dash?.behind, node: child }
  })
  const value = Object.freeze(entries.map(({ node }) => node.value))
  return { ...inStyle("block list", source, place, holder, entries), value }
}

function toMap(node: YAMLMap.Parsed, place: Place, holder: Holder, building: Building): YamlNode {
  const values = new Map<string, unknown>()
  const entries = node.items.map((pair): YamlEntry => {
    const start = pair.srcToken?.start.find(({ type }) => isBeginning(type))?.offset ?? pair.key.range[0]
    const key = keyName(toNode(pair.key, { behind: pair.key.range[0], between: [] }, building).value)
    const [colon] = toHolder(pair.srcToken?.sep ?? [], "map-value-ind")
    const child = toNode(pair.value, colon ?? { behind: pair.key.range[1], between: [] }, building)
    if (key === undefined) {
      building.faults.push({
        code: "wrong-type",
        offset: start,
        message: "A key must be a text, not a list, a map or nothing.",
      })
    } else if (values.has(key)) {
      const message = `The key ${JSON.stringify(key)} appears twice.`
      building.faults.push({ code: "duplicate-key", offset: start, message })
    } else if (hasMoreThanQuotes(pair.key, building.text)) {
      building.faults.push({
        code: "syntax",
        offset: pair.key.range[1],
        message: "Unexpected text after the closing quote.",
      })
    } else values.set(key, child.value)
    return { key: key ?? "", start, behind: colon?.behind, node: child }
  })
  const value = Object.freeze(Object.fromEntries(values))
  return { ...inStyle("block map", node.srcToken, place, holder, entries), value }
}

function inStyle(
  style: "block map" | "block list",
  source: { type: string; indent: number } | undefined,
  place: Place,
  { behind, between }: Holder,
  entries: YamlEntry[],
): Omit<YamlNode, "value"> {
  if (!source || source.type === "flow-collection") return { ...place, style: "flow", entries }
  const end = entries.at(-1)?.node.end ?? place.end
  const lineEnds = between.some(({ type }) => type === "newline")
  const properties = placeOf(null, { behind, between })
  return { ...place, style, entries, end, inlineEnd: lineEnds ? properties.end : end, column: source.indent }
}

function toHolder(tokens: CST.SourceToken[], indicator: "seq-item-ind" | "map-value-ind"): Holder[] {
  const at = tokens.findIndex(({ type }) => type === indicator)
  const token = tokens[at]
  return token ? [{ behind: token.offset + 1, between: tokens.slice(at + 1) }] : []
}

function isBeginning(type: CST.SourceToken["type"]): boolean {
  return type === "anchor" || type === "tag" || type === "explicit-key-ind"
}

/** The library ignores what follows the quotes of a key after a question mark. */
function hasMoreThanQuotes(key: ParsedNode, text: string): boolean {
  return isScalar(key) && key.type?.startsWith("QUOTE") === true && /[^\s:,#}\]]/.test(text.charAt(key.range[1]))
}

/** Keys are texts, also where YAML reads a number; `undefined` for a list, a map or nothing. */
function keyName(value: unknown): string | undefined {
  return typeof value === "object" ? undefined : String(value)
}

/** The path of a value: keys of maps and indexes of lists, from the top. */
export type YamlPath = readonly (string | number)[]

/** A YAML file as written: its value, and the position of each part. */
export type YamlDocument = {
  readonly text: string
  readonly value: Record<string, unknown>
  /** Of the value at a path or, if there is none, of the nearest parent. Both count from 1. */
  positionOf(path: YamlPath): { line: number; column: number }
}

export type YamlReading = { kind: "read"; document: YamlDocument } | { kind: "broken"; problems: SessionProblem[] }

/** One change of a file; everything not named keeps its bytes. */
export type YamlEdit =
  /** Replaces the value at a path or adds it at the end of its map; missing maps on the way are made. `undefined` removes the key. */
  | { op: "set"; path: YamlPath; value: unknown }
  /** Adds an item at the end of a list, which is made if it is missing, null or empty. */
  | { op: "append"; path: YamlPath; value: unknown }
  /** The same for a verbatim list item: lines as in another file, with their comments. */
  | { op: "appendSource"; path: YamlPath; source: string }
  /** Removes an item from a list, with the comments before it. */
  | { op: "remove"; path: YamlPath }
