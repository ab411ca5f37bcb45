/** Where each runner keeps a package that it fetched for one command; the next clean-up takes it away. */
const caches: readonly (readonly [runner: string, folder: RegExp])[] = [
  ["npx", /[\\/]_npx[\\/]/],
  ["pnpm dlx", /[\\/](?:pnpm(?:-cache)?[\\/]dlx|tmp[\\/]dlx-\d+)[\\/]/],
  ["yarn dlx", /[\\/]xfs-[^\\/]+[\\/]dlx-\d+[\\/]/],
  ["bunx", /[\\/]bunx-[^\\/]+[\\/]/],
]

/** The runner whose passing copy a path leads into, such as `npx`; undefined for what was installed. */
export function passingRunner(path: string): string | undefined {
  return caches.find(([, folder]) => folder.test(path))?.[0]
}
