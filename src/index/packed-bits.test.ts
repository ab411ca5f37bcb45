import fc from "fast-check"
import { expect, test } from "vitest"
import { dimensions } from "./index-store.ts"
import { packedBits, plainBits } from "./packed-bits.ts"

const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 10_000) / 20)

const word = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.constantFrom(0, -1))
const passage = fc.record({ owner: fc.nat(3), bits: fc.array(word, { minLength: 8, maxLength: 8 }) })

test("the module finds the same places as plain JavaScript, with and without an owner filter", () => {
  fc.assert(
    fc.property(fc.array(passage, { minLength: 1, maxLength: 40 }), passage, fc.nat(20), (passages, query, most) => {
      const [one, other] = [packedBits, plainBits].map((make) => {
        const packed = make(passages.length)
        packed.owners.set(passages.map(({ owner }) => owner))
        packed.bits.set(passages.flatMap(({ bits }) => bits))
        const bits = Int32Array.from(query.bits)
        const isOdd = (owner: number) => owner % 2 === 1
        return [packed.nearest(bits, most), packed.nearest(bits, most, isOdd), packed.nearest(bits, most)]
      })
      expect(one).toEqual(other)
    }),
    { numRuns },
  )
})

test("the nearest come first, and places without an owner are never returned", () => {
  for (const packed of [packedBits(4), plainBits(4)]) {
    packed.owners.set([7, 0, 8, 9])
    packed.bits.fill(-1, 0, 8) // differs in all dimensions
    packed.bits.set([3], 16)
    expect(packed.nearest(new Int32Array(dimensions / 32), 2)).toEqual([3, 2])
    expect(packed.nearest(new Int32Array(dimensions / 32), 9)).toEqual([3, 2, 0])
  }
})
