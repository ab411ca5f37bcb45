/**
 * How the signals are weighed. Measured on the development halves of decision logs, architecture decision records and conversations,
 * checked on the other halves (bench/recall/tune.ts prints both); each value lies on a plateau, not on a peak.
 */
export const rankWeights = {
  /** What meaning counts beside words, both as deviations from the candidates' mean. */
  meaning: {
    /** For a question of few words against whole records: it is mostly put in other words than the answer. */
    records: 1.5,
    /** For turns and bullets: too short for a vector to say much, while a rare word in common says a lot. */
    sequences: 0.6,
    /** From so many different words on, the weight falls in inverse proportion: a long task repeats the record's own words. */
    fewWords: 10,
  },
  /** What items of a conversation or history lend to those beside them, and to those one further. */
  neighbours: { beside: 0.6, oneFurther: 0.3 },
  /** When a newer candidate takes the place of an older one without a link between them. */
  likeness: {
    /** Share of their titles' words in common. */
    titles: 0.33,
    /** Cosine of their first passages, by model. */
    static: 0.7,
    minilm: 0.65,
    /** It has at least this share of the older one's score… */
    score: 0.75,
    /** …and holds as many of the request's words, but for this share of their weight. */
    coverage: 0.05,
    /** Only among the first so many. */
    depth: 30,
  },
  /**
   * Coefficients of the logistic function that tells whether an item answers a request; by model. Fitted on hand-written questions asked in
   * their own store and in others', then moved so that 0.5 leaves nine of ten questions without an answer unanswered.
   */
  relevance: {
    minilm: { base: -6.15, covered: 4.5, strength: 0, likeness: 13.8 },
    static: { base: -6.3, covered: 4.7, strength: 0, likeness: 12.5 },
    none: { base: -3.85, covered: 1.8, strength: 10.9, likeness: 0 },
    /** What the first of the ranking must have for anything to qualify… */
    first: 0.5,
    /** …and what the others must have then: where there is one answer, its neighbours deserve a look. */
    others: 0.25,
  },
} as const
