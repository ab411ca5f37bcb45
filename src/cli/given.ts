/** Omits undefined options. */
export function given<Options extends object>(
  options: Options,
): { [Name in keyof Options]?: Exclude<Options[Name], undefined> } {
  const pairs = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(pairs) as ReturnType<typeof given<Options>>
}
