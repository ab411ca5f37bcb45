/** Addresses in the module's memory: the query's 32 bytes, and the number of passages at each of the 257 distances. */
export const memoryPlan = { query: 0, counts: 32, free: 32 + 257 * 4 + 12 }

/**
 * A WebAssembly module with two functions over at least one passage; all parameters except `furthest` are addresses:
 *
 *     measure(bits, owners, distances, end):
 *       do { distance = how many of 256 bits differ from the query's; store16(distances, distance)
 *            if (load(owners) != 0) counts[distance] += 1
 *            bits += 32; owners += 4; distances += 2 } while (distances < end)
 *
 *     collect(owners, distances, end, furthest, places) -> the end of the places:
 *       do { if (load16(distances) <= furthest) { if (load(owners) != 0) { store(places, place); places += 4 } }
 *            place += 1; owners += 4; distances += 2 } while (distances < end)
 */
export function nearestModule(): Uint8Array {
  return new Uint8Array([
    ...[0, ...text("asm"), 1, 0, 0, 0],
    ...section(1, [
      2,
      ...[0x60, 4, integer, integer, integer, integer, 0],
      ...[0x60, 5, integer, integer, integer, integer, integer, 1, integer],
    ]),
    ...section(2, [1, ...named("drey"), ...named("memory"), 2, 0, 1]),
    ...section(3, [2, 0, 1]),
    ...section(7, [2, ...named("measure"), 0, 0, ...named("collect"), 0, 1]),
    ...section(10, [2, ...sized(measure()), ...sized(collect())]),
  ])
}

const integer = 0x7f
const vector = 0x7b
const loop = [0x03, 0x40]
const when = [0x04, 0x40]
const end = 0x0b
const add = 0x6a
const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const advance = (local: number, by: number) => [...get(local), ...constant(by), add, ...set(local)]
const repeatWhileLess = (one: number, other: number) => [...get(one), ...get(other), 0x49, 0x0d, 0]
const load = (offset: number) => [0x28, 2, ...unsigned(offset)]
const load16 = [0x2f, 1, 0]
const store = (offset: number) => [0x36, 2, ...unsigned(offset)]
const store16 = [0x3b, 1, 0]
const simd = (operation: number) => [0xfd, ...unsigned(operation)]
const loadVector = (offset: number) => [...simd(0x00), 0, ...unsigned(offset)] // no alignment is guaranteed
const lane = (number: number) => [...simd(0x1b), number]
const [different, bitsInBytes, addBytes, toPairs, toFours] = [0x51, 0x62, 0x6e, 0x7d, 0x7f].map(simd) as [
  number[],
  number[],
  number[],
  number[],
  number[],
]

function measure(): number[] {
  const [bits, owners, distances, last, distance, low, high, sum] = [0, 1, 2, 3, 4, 5, 6, 7] as const
  const half = (offset: number, query: number) => [
    ...[...get(bits), ...loadVector(offset), ...get(query), ...different, ...bitsInBytes],
  ]
  return [
    ...[2, 1, integer, 3, vector],
    ...[...constant(0), ...loadVector(memoryPlan.query), ...set(low)],
    ...[...constant(0), ...loadVector(memoryPlan.query + 16), ...set(high)],
    ...loop,
    ...[...half(0, low), ...half(16, high), ...addBytes, ...toPairs, ...toFours, ...set(sum)],
    ...[...get(sum), ...lane(0), ...get(sum), ...lane(1), add, ...get(sum), ...lane(2), add],
    ...[...get(sum), ...lane(3), add, ...set(distance)],
    ...[...get(distances), ...get(distance), ...store16],
    ...[...get(owners), ...load(0), ...when],
    ...[...get(distance), ...constant(4), 0x6c, ...set(distance), ...get(distance)],
    ...[...get(distance), ...load(memoryPlan.counts), ...constant(1), add, ...store(memoryPlan.counts), end],
    ...[...advance(bits, 32), ...advance(owners, 4), ...advance(distances, 2), ...repeatWhileLess(distances, last)],
    ...[end, end],
  ]
}

function collect(): number[] {
  const [owners, distances, last, furthest, places, place] = [0, 1, 2, 3, 4, 5] as const
  return [
    ...[1, 1, integer],
    ...loop,
    ...[...get(distances), ...load16, ...get(furthest), 0x4d, ...when, ...get(owners), ...load(0), ...when],
    ...[...get(places), ...get(place), ...store(0), ...advance(places, 4), end, end],
    ...[...advance(place, 1), ...advance(owners, 4), ...advance(distances, 2), ...repeatWhileLess(distances, last)],
    ...[end, ...get(places), end],
  ]
}

function sized(body: number[]): number[] {
  return [...unsigned(body.length), ...body]
}

function section(id: number, content: number[]): number[] {
  return [id, ...sized(content)]
}

function named(name: string): number[] {
  return [name.length, ...text(name)]
}

function text(ascii: string): number[] {
  return Array.from(ascii, (character) => character.charCodeAt(0))
}

function constant(value: number): number[] {
  return [0x41, ...signed(value)]
}

/** LEB128, as WebAssembly writes numbers. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >> 7)]
}
