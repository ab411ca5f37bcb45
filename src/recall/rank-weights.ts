/**
 * How the signals are weighed. Chosen on decision logs, architecture decision records and conversations, one setting at a time, where the
 * figures stay level to both sides; `bench/recall/tune.ts` moves each and prints what that does.
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
  /**
   * When a newer candidate takes the place of an older one without a link between them: any of these must hold. `titles` is the share of
   * their titles' words in common, `score` the share of the older one's score that it has at least, `coverage` how much less of the request's
   * words it may hold. Likeness of meaning was tried: in a log about one product it moves more entries that are right than outdated ones.
   */
  updates: [
    { amends: false, titles: 0.33, score: 0.75, coverage: 0.05 },
    { amends: false, titles: 0.6, score: 0.5, coverage: 0.25 },
    { amends: true, titles: 0.18, score: 0.4, coverage: 0.1 },
  ],
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
    /** What the first must have where one sentence of a task was asked: several tries find something more easily. */
    sentence: 0.7,
  },
} as const
