/** A number that spoke for or against an item, in words a stranger understands. */
export type SignalWords = { name: string; value: string; hint: string }

const known: Record<string, { name: string; hint: string; form: (value: number) => string }> = {
  coverage: {
    name: "Words of the task",
    hint: "Share of the task's words it contains; rare words count more.",
    form: percent,
  },
  words: {
    name: "Match by words",
    hint: "How well its words match; rare words and short texts count more.",
    form: plain,
  },
  static: {
    name: "Semantic similarity",
    hint: "From −1 to 1, by Drey's built-in word vectors.",
    form: plain,
  },
  minilm: {
    name: "Semantic similarity (model)",
    hint: "From −1 to 1, by Drey's built-in language model.",
    form: plain,
  },
  neighbours: {
    name: "Neighbour bonus",
    hint: "Adjacent entries of the same history match the task too.",
    form: plain,
  },
  relevance: { name: "Relevance", hint: "From 0 % to 100 %.", form: percent },
  score: { name: "Score", hint: "Determines the order; comparable only within this context.", form: plain },
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
