/**
 * Words without a subject of their own; neither indexed nor searched. Whole words before stemming, without apostrophes.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also although am an and any are as at be because been before being below between both but by
  can could did didn do does doesn doing don done down during each either else ever few for from further get gets got had hadn has hasn have
  haven having he her here hers herself him himself his how however i if in into is isn it its itself just let like many may me
  might more most much must my myself nor of off often on once only onto or other others our ours ourselves
  out over own per please rather really s same shall she should shouldn since so some something such t than that the their theirs them
  themselves then there these they this those though through thus to too toward towards until up upon us very via was wasn
  we were weren what whatever when whenever where wherever whether which while who whoever whom whose why will with within without won would wouldn
  yes yet you your yours yourself yourselves http https www`.split(/\s+/),
)
