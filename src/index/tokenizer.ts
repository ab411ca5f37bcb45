import { stem } from "./stemmer.ts"
import { hashTerm } from "./term-hash.ts"

/** Tokens in their order, and `hashTerm` of each. */
type HashedTokens = { tokens: string[]; hashes: number[] }

/**
 * Caches the tokens of character runs: texts repeat their words, and a lookup costs far less than tokenizing. A
 * hand-written table with two hashes computed while reading the run: a Map would need each run cut out and hashed
 * again.
 */
export type KnownChunks = {
  /** Adds the tokens of a run; false if it is not cached. */
  take(one: number, other: number, into: HashedTokens): boolean
  set(one: number, other: number, tokens: readonly string[]): void
}

const fewestPlaces = 1 << 12
const mostPlaces = 1 << 19

function knownChunks(): KnownChunks {
  // Each place has the two hashes of the run, its number of tokens plus one (0 means a free place), and the hash of the
  // first token: side by side, because memory access takes the time.
  let marks = new Int32Array(fewestPlaces * 4)
  let lists: (string | HashedTokens | undefined)[] = new Array(fewestPlaces).fill(undefined) // a string if there is only one
  let count = 0

  const empty = (places: number) => {
    marks = new Int32Array(places * 4)
    lists = new Array(places).fill(undefined)
    count = 0
  }
  const put = (run: ArrayLike<number>, list: string | HashedTokens | undefined) => {
    if (count * 2 >= lists.length) makeRoom()
    let place = placeOf(run[0] as number, lists.length)
    while (marks[place * 4 + 2] !== 0) place = (place + 1) & (lists.length - 1)
    marks.set(run, place * 4)
    lists[place] = list
    count++
  }
  const makeRoom = () => {
    const old = { marks, lists }
    empty(Math.min(lists.length * 8, mostPlaces))
    if (old.lists.length === mostPlaces) return // full: frequent runs are soon cached again
    for (let place = 0; place < old.lists.length; place++) {
      const run = old.marks.subarray(place * 4, place * 4 + 4)
      if (run[2] !== 0) put(run, old.lists[place])
    }
  }

  return {
    set(one, other, tokens) {
      const hashes = tokens.map(hashTerm)
      const list = tokens.length > 1 ? { tokens: [...tokens], hashes } : tokens[0]
      put([one, other, tokens.length + 1, hashes[0] ?? 0], list)
    },
    take(one, other, into) {
      const mask = lists.length - 1
      let place = placeOf(one, lists.length)
      while (marks[place * 4] !== one || marks[place * 4 + 1] !== other) {
        if (marks[place * 4 + 2] === 0) return false
        place = (place + 1) & mask
      }
      const held = marks[place * 4 + 2] as number
      if (held === 0) return false
      if (held === 2) {
        into.tokens.push(lists[place] as string)
        into.hashes.push(marks[place * 4 + 3] as number)
      } else if (held > 2) {
        const { tokens, hashes } = lists[place] as HashedTokens
        for (let at = 0; at < tokens.length; at++) {
          into.tokens.push(tokens[at] as string)
          into.hashes.push(hashes[at] as number)
        }
      }
      return true
    },
  }
}

function placeOf(hash: number, places: number): number {
  return (hash ^ (hash >>> 15)) & (places - 1)
}

/**
 * The words of a text, in order; requests go through the same function. Plain words are stemmed and stop words dropped;
 * an identifier, path or version is kept whole (normalizing case, "-" and "_", so that userName, user_name and
 * user-name are the same) and then split into its parts.
 */
export function tokenize(text: string): string[] {
  return tokenizeHashed(text).tokens
}

/** The same with the hash of each, which is cached for known words. */
export function tokenizeHashed(text: string): HashedTokens {
  const source = foldAccents(text)
  const found: HashedTokens = { tokens: [], hashes: [] }
  const length = source.length
  let at = 0
  while (at < length) {
    const kind = kindOf(source.charCodeAt(at))
    if (kind === cjk) {
      at = takeBigrams(source, at, found.tokens)
      hashRest(found)
    } else if (kind === lowerCase || kind === upperCase || kind === digit) at = takeChunk(source, at, found)
    else at++
  }
  return found
}

function hashRest({ tokens, hashes }: HashedTokens): void {
  for (let at = hashes.length; at < tokens.length; at++) hashes.push(hashTerm(tokens[at] as string))
}

const longestChunk = 256
const longestWhole = 64
const longestWord = 40

/** One run of words joined by punctuation, such as src/index/tokenize.ts, starting at a word character. */
function takeChunk(source: string, start: number, found: HashedTokens): number {
  const limit = Math.min(source.length, start + longestChunk)
  let end = start
  let plain = true
  let before = separator
  let [one, other] = [0x811c9dc5 | 0, 0x2545f491]
  while (end < limit) {
    const code = source.charCodeAt(end)
    const kind = kindOf(code)
    if (kind === joiner) {
      const step = code === colon && source.charCodeAt(end + 1) === colon ? 2 : 1
      if (end + step >= limit || !isWord(kindOf(source.charCodeAt(end + step)))) break
      plain = false
      end += step
      one = Math.imul(one ^ (code + 65536 * (step - 1)), 0x01000193) // a double colon is a separator
      other = Math.imul(other ^ (code + 65536 * (step - 1)), 0x5bd1e995)
    } else if (isWord(kind)) {
      if (
        kind === digit ||
        (kind === upperCase && before !== separator && before !== upperCase) ||
        (kind === lowerCase && before === upperCase && end - start > 1)
      )
        plain = false
      end++
      one = Math.imul(one ^ code, 0x01000193)
      other = Math.imul(other ^ code, 0x5bd1e995)
    } else break
    before = kind
  }
  if (!known.take(one, other, found)) {
    known.set(one, other, takeApart(source.slice(start, end), plain))
    known.take(one, other, found)
  }
  const sign = source.charCodeAt(start - 1)
  const maySign = end - start <= 2 || sign === hashSign || sign === dot
  if (maySign && (end - start <= 8 || !plain)) {
    takeSigns(source, start, end, source.slice(start, end), found.tokens)
    hashRest(found)
  }
  const apostrophe = kindOf(source.charCodeAt(end)) === apostropheKind ? contraction(source, end + 1) : 0
  return end + apostrophe
}

const known = knownChunks()

function takeApart(chunk: string, plain: boolean): readonly string[] {
  const tokens: string[] = []
  if (plain) pushWord(chunk.toLowerCase(), tokens)
  else if (!eMail.test(chunk)) pushCompound(chunk, tokens)
  return tokens
}

const eMail = /^[\w.+-]+@[a-z][\w-]*\.[\w.-]*[a-z]$/i

/** #123, .NET and C++ differ from 123, net and c by punctuation that is otherwise ignored. */
function takeSigns(source: string, start: number, end: number, chunk: string, tokens: string[]): void {
  const before = source[start - 1]
  if (before === "#" && /^\d+$/.test(chunk)) tokens.push(`#${chunk}`.slice(0, longestWord))
  if (before === "." && !isWord(kindOf(source.charCodeAt(start - 2))) && /^[a-z]+$/i.test(chunk))
    tokens.push(`.${chunk.toLowerCase()}`.slice(0, longestWord))
  if (chunk.length > 2 || isWord(kindOf(source.charCodeAt(start - 1)))) return
  const sign = source[end] === "#" ? "#" : source.startsWith("++", end) ? "++" : ""
  if (sign !== "" && /^[a-z]+$/i.test(chunk)) tokens.push(chunk.toLowerCase() + sign)
}

/** The number of characters after an apostrophe that only end a contraction: don't, it's, we'll. */
function contraction(source: string, start: number): number {
  let end = start
  while (end < start + 3 && isWord(kindOf(source.charCodeAt(end)))) end++
  return end - start <= 2 ? end - start + 1 : 1
}

const versionNumber = /^v?(\d{1,8}(?:\.\d{1,8})+)(?![\d])/i

function pushCompound(chunk: string, tokens: string[]): void {
  const segments = chunk.split(/::?|[/\\@]/)
  const levelled: string[] = []
  let words = 0
  for (const segment of segments) {
    const version = versionNumber.exec(segment)?.[1]
    if (version !== undefined) pushVersion(version, tokens)
    const rest = version === undefined ? segment : segment.slice(segment.indexOf(version) + version.length)
    const parts = rest.split(/[._-]+/).flatMap(splitCase)
    for (const part of parts) pushWord(part, tokens)
    words += parts.length + (version === undefined ? 0 : 2)
    levelled.push((version === undefined ? segment : version + rest).replace(/[_-]+/g, "").toLowerCase())
  }
  if (words < 2 || (segments.length === 1 && versionNumber.exec(chunk)?.[0].length === chunk.length)) return
  const whole = levelled.join("/")
  if (whole.length > longestWhole) return
  if (/^[a-z]+$/.test(whole)) pushWord(whole, tokens)
  else tokens.push(whole)
  const name = levelled.at(-1) ?? ""
  if (segments.length > 1 && name.includes(".")) tokens.push(name)
}

/** 1.2.3 is also found by 1.2. */
function pushVersion(version: string, tokens: string[]): void {
  tokens.push(version.slice(0, longestWord))
  const minor = /^\d+\.\d+(?=\.)/.exec(version)?.[0]
  if (minor !== undefined) tokens.push(minor)
}

/**
 * The parts of a camel-case identifier, in lower case: parseHTMLFile2 → parse, html, file2. A plural of capitals (ADRs)
 * is one part.
 */
function splitCase(word: string): string[] {
  if (word === "") return []
  const parts: string[] = []
  let start = 0
  for (let at = 1; at < word.length; at++) {
    const kind = kindOf(word.charCodeAt(at))
    if (kind !== upperCase) continue
    const before = kindOf(word.charCodeAt(at - 1))
    const after = at + 1 < word.length ? kindOf(word.charCodeAt(at + 1)) : separator
    const pluralOfCapitals = at + 2 === word.length && word[at + 1] === "s"
    if (before !== upperCase || (after === lowerCase && !pluralOfCapitals)) {
      parts.push(word.slice(start, at).toLowerCase())
      start = at
    }
  }
  parts.push(word.slice(start).toLowerCase())
  return parts
}

function pushWord(word: string, tokens: string[]): void {
  const short = word.length > longestWord ? word.slice(0, longestWord) : word
  if (stopWords.has(short)) return
  tokens.push(/^[a-z]+$/.test(short) ? stem(short) : short)
  const letters = /^([a-z]{2,})\d{1,4}$/.exec(short)?.[1] // python3 is also found by python
  if (letters !== undefined) pushWord(letters, tokens)
}

/** Scripts without spaces are indexed by pairs of characters. */
function takeBigrams(source: string, start: number, tokens: string[]): number {
  let end = start + 1
  while (end < source.length && kindOf(source.charCodeAt(end)) === cjk) {
    tokens.push(source.slice(end - 1, end + 1))
    end++
  }
  if (end === start + 1) tokens.push(source.slice(start, end))
  return end
}

function foldAccents(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f\u200b-\u200d\u00ad]+/g, "")
    .normalize("NFC")
    .replace(/[ßøØłŁđĐæÆœŒ]/g, (letter) => latinLetters[letter] ?? letter)
}

const latinLetters: Record<string, string> = {
  ß: "ss",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
}

const separator = 1
const lowerCase = 2
const upperCase = 3
const digit = 4
const joiner = 5
const apostropheKind = 6
const cjk = 7
const colon = 58
const hashSign = 35
const dot = 46
const kinds = new Uint8Array(65536)

function isWord(kind: number): boolean {
  return kind === lowerCase || kind === upperCase || kind === digit
}

function kindOf(code: number): number {
  const index = code | 0 // past the end of a text the code is NaN, here 0: a separator
  const kind = kinds[index]
  if (kind !== undefined && kind !== 0) return kind
  const found = index < 128 ? classifyAscii(index) : classify(String.fromCharCode(index))
  kinds[index] = found
  return found
}

/** Without Unicode classes in regular expressions, which take longer to compile than a request takes to answer. */
function classifyAscii(code: number): number {
  const character = String.fromCharCode(code)
  if (character >= "a" && character <= "z") return lowerCase
  if (character >= "A" && character <= "Z") return upperCase
  if (character >= "0" && character <= "9") return digit
  if ("-_./\\:@".includes(character)) return joiner
  return character === "'" ? apostropheKind : separator
}

function classify(character: string): number {
  if (character === "’") return apostropheKind
  if (
    /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u.test(
      character,
    )
  )
    return /[\p{L}\p{M}\p{N}]/u.test(character) ? cjk : separator
  if (/\p{N}/u.test(character)) return digit
  if (/\p{Lu}/u.test(character)) return upperCase
  return /[\p{L}\p{M}]/u.test(character) ? lowerCase : separator
}

/**
 * Words without a subject of their own; neither indexed nor searched. Whole words before stemming, without apostrophes.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also although am an and any are as at be because been before being below between both but by
  can could did didn do does doesn doing don done down during each either else ever few for from further get gets got had hadn has hasn have
  haven having he her here hers herself him himself his how however i if in into is isn it its itself just let like many may me
  might more most much must my myself nor of off often on once only onto or other others our ours ourselves
  out over own per please rather really s same shall she should shouldn since so some something such t than that the their theirs them
  themselves then there these they this those though through thus to too toward towards until up upon us very via was wasn
  we were weren what whatever when whenever where wherever whether which while who whoever whom whose why will with within without won would wouldn
  yes yet you your yours yourself yourselves http https www`.split(/\s+/),
)
