;; Hamming distances of packed vectors of 256 bits, and the places of the nearest. There is at least one passage; all
;; parameters except $furthest are addresses. `node scripts/compile-wat.mjs` writes nearest-wasm.ts from this file.
(module
  ;; The query's 32 bytes are at 0, the number of passages at each of the 257 distances from 32 on.
  (import "drey" "memory" (memory 1))

  ;; Writes the distance of each passage to $distances, until $end, and counts those with an owner by distance.
  (func (export "measure") (param $bits i32) (param $owners i32) (param $distances i32) (param $end i32)
    (local $distance i32) (local $count i32) (local $low v128) (local $high v128) (local $sum v128)
    (local.set $low (v128.load align=1 (i32.const 0)))
    (local.set $high (v128.load offset=16 align=1 (i32.const 0)))
    (loop $passage
      ;; The bits that differ, counted in bytes, then summed in pairs until four numbers are left.
      (local.set $sum
        (i32x4.extadd_pairwise_i16x8_u
          (i16x8.extadd_pairwise_i8x16_u
            (i8x16.add
              (i8x16.popcnt (v128.xor (v128.load align=1 (local.get $bits)) (local.get $low)))
              (i8x16.popcnt (v128.xor (v128.load offset=16 align=1 (local.get $bits)) (local.get $high)))))))
      (local.set $distance
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
      (i32.store16 (local.get $distances) (local.get $distance))
      (if (i32.load (local.get $owners))
        (then
          (local.set $count (i32.mul (local.get $distance) (i32.const 4)))
          (i32.store offset=32 (local.get $count)
            (i32.add (i32.load offset=32 (local.get $count)) (i32.const 1)))))
      (local.set $bits (i32.add (local.get $bits) (i32.const 32)))
      (local.set $owners (i32.add (local.get $owners) (i32.const 4)))
      (local.set $distances (i32.add (local.get $distances) (i32.const 2)))
      (br_if $passage (i32.lt_u (local.get $distances) (local.get $end)))))

  ;; Writes the numbers of the passages with an owner within $furthest to $places; returns the end of what it wrote.
  (func (export "collect")
    (param $owners i32) (param $distances i32) (param $end i32) (param $furthest i32) (param $places i32) (result i32)
    (local $place i32)
    (loop $passage
      (if (i32.le_u (i32.load16_u (local.get $distances)) (local.get $furthest))
        (then
          (if (i32.load (local.get $owners))
            (then
              (i32.store (local.get $places) (local.get $place))
              (local.set $places (i32.add (local.get $places) (i32.const 4)))))))
      (local.set $place (i32.add (local.get $place) (i32.const 1)))
      (local.set $owners (i32.add (local.get $owners) (i32.const 4)))
      (local.set $distances (i32.add (local.get $distances) (i32.const 2)))
      (br_if $passage (i32.lt_u (local.get $distances) (local.get $end))))
    (local.get $places)))
