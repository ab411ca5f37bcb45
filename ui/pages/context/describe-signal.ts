/** A number that spoke for or against an item, in words a stranger understands. */
export type SignalWords = { name: string; value: string; hint: string }

const known: Record<string, { name: string; hint: string; form: (value: number) => string }> = {
  coverage: {
    name: "Words of the task",
    hint: "How many of the task's words it has, rare words counting more.",
    form: percent,
  },
  words: {
    name: "Match by words",
    hint: "How well its words match; rare words and short texts count more.",
    form: plain,
  },
  static: {
    name: "Likeness of meaning",
    hint: "From −1 to 1, by the table of word meanings that Drey brings.",
    form: plain,
  },
  minilm: {
    name: "Likeness of meaning (model)",
    hint: "From −1 to 1, by the language model that Drey brings.",
    form: plain,
  },
  neighbours: {
    name: "Lent by neighbours",
    hint: "What stands beside it in the same history fits the task too.",
    form: plain,
  },
  relevance: { name: "Bears on the task", hint: "From 0 %, not at all, to 100 %, surely.", form: percent },
  score: { name: "Order", hint: "The higher the earlier; only to be compared within this context.", form: plain },
}

export function describeSignal(name: string, value: number): SignalWords {
  const { form = plain, ...words } = known[name] ?? { name, hint: "" }
  return { ...words, value: form(value) }
}

function percent(value: number): string {
  return `${Math.round(value * 100)} %`
}

function plain(value: number): string {
  return value.toFixed(2)
}
