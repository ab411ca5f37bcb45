export function shuffle<Item>(items: Item[], random: () => number): Item[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const taken = shuffled[last] as Item
    shuffled[last] = shuffled[other] as Item
    shuffled[other] = taken
  }
  return shuffled
}
