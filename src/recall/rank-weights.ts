/**
 * How the signals are weighed. Measured on the development halves of decision logs, architecture decision records and conversations,
 * checked on the other halves (bench/recall/tune.ts prints both); each value lies on a plateau, not on a peak.
 */
export const rankWeights = {
  /** What meaning counts beside words, both as deviations from the candidates' mean. */
  meaning: {
    /** For a question of few words against whole records: it is mostly put in other words than the answer. */
    records: 2,
    /** For turns and bullets: too short for a vector to say much, while a rare word in common says a lot. */
    sequences: 1,
    /** From so many different words on, the weight falls in inverse proportion: a long task repeats the record's own words. */
    fewWords: 8,
  },
  /** What items of a conversation or history lend to those beside them, and to those one further. */
  neighbours: { beside: 0.5, oneFurther: 0.2 },
  /** When a newer candidate takes the place of an older one without a link between them. */
  likeness: {
    /** Share of their titles' words in common. */
    titles: 0.5,
    /** Cosine of their first passages, by model. */
    static: 0.8,
    minilm: 0.72,
    /** How far its own score may lie behind. */
    within: 1,
    /** Only among the first so many. */
    depth: 30,
  },
} as const
