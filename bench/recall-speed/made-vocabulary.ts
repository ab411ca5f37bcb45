const nouns = `index query cache token session schema migration endpoint request response queue worker scheduler retry timeout header payload
  module package build pipeline release branch commit merge review test fixture snapshot contract adapter driver transaction lock
  page record row column table key value hash signature certificate secret policy rule guard limit quota budget metric trace log
  alert dashboard report export import parser tokeniser renderer template component layout theme dialog form button route redirect
  cookie origin proxy gateway cluster node replica shard partition backup restore archive stream event message topic subscriber
  publisher handler listener hook plugin extension option flag setting environment variable container image registry volume network
  socket channel buffer pool thread process signal memory disk file folder path name version tag note history decision agent team`
const verbs = `keep move split store read write drop rename replace encode decode validate reject accept retry batch merge sort filter index
  search rank cache expire rotate sign verify encrypt redact audit measure profile inline bundle compile render parse tokenise wrap
  unwrap lock release publish subscribe deploy restore migrate archive delete import export log trace limit throttle defer pin`
const qualities = `slow stale shared local remote atomic durable lazy eager nested flat public private strict loose empty partial whole stable fresh
  legacy internal external signed hidden default optional required safe cheap costly rare common broken idle busy cold warm`
const others = `now later first again never always already still twice nobody everybody time place work way part end start reason case problem
  result change difference cost figure number half third minute hour week month year person user customer machine project product
  change state order level size length side kind set list line word text code data type error failure success answer question rule
  take make give find show tell need want try use run go come stay leave hold turn ask add put begin stop wait happen mean seem
  new old large small good bad better worse fast early late next last right wrong simple hard clear open full long short ready`
const syllables = "ba co da fe gi ho ka li mo nu pa qui ro sa te vu wex yo zan tri plo dre ska nim tor vel"

/** Words by kind, the most used first; all together some 20,000. */
export type Vocabulary = { nouns: string[]; verbs: string[]; qualities: string[]; others: string[]; names: string[] }

/** A vocabulary as software teams have one: plain words and what is derived of them, identifiers, and project-specific names. */
export function makeVocabulary(random: () => number): Vocabulary {
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? ""
  const [things, acts, kinds, sounds] = [wordsOf(nouns), wordsOf(verbs), wordsOf(qualities), wordsOf(syllables)]
  const derive = (bases: readonly string[], beginnings: string, ends: string) => {
    const whole = wordsOf(beginnings).flatMap((start) => bases.map((base) => `${start}${base}`))
    return [...whole, ...wordsOf(ends).flatMap((end) => bases.map((base) => `${base.replace(/e$/, "")}${end}`))]
  }
  const names = new Set<string>()
  while (names.size < 16_000) names.add(makeName(random, pick, { things, acts, kinds, sounds }))
  return {
    nouns: [
      ...things,
      ...derive(things, "sub meta micro multi super inter non pre", "s er ing less like based wise side"),
    ],
    verbs: [...acts, ...derive(acts, "re un pre de over mis auto", "ing ed able er ment")],
    qualities: [...kinds, ...derive(kinds, "un non semi over more less", "ly ness ish er")],
    others: [...new Set(wordsOf(others))],
    names: [...names],
  }
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/)
}

type Parts = { things: string[]; acts: string[]; kinds: string[]; sounds: string[] }

/** An identifier, a path, a version, an issue, or a product's name. */
function makeName(
  random: () => number,
  pick: (from: readonly string[]) => string,
  { things, acts, kinds, sounds }: Parts,
): string {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const number = (most: number) => Math.floor(random() * most)
  switch (number(8)) {
    case 0:
    case 1:
      return `${pick(acts)}${capital(pick(kinds))}${capital(pick(things))}`
    case 2:
      return `${pick(things)}_${pick(things)}_${pick(["id", "at", "count", "key", "url"])}`
    case 3:
      return `src/${pick(things)}/${pick(acts)}-${pick(things)}.ts`
    case 4:
      return `${capital(pick(sounds) + pick(sounds))} ${number(30)}.${number(20)}.${number(10)}`
    case 5:
      return `#${number(9000)}`
    default:
      return capital(`${pick(sounds)}${pick(sounds)}${pick(sounds)}`)
  }
}
