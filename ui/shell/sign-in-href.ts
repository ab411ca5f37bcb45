/** Where one signs in, and comes back from to the page that is open now. */
export function signInHref({ pathname, search }: Pick<Location, "pathname" | "search">): string {
  const here = pathname + search
  return here === "/" ? "/sign-in" : `/sign-in?${new URLSearchParams({ to: here })}`
}

/** Where to go after sign-in: always a page of this app, whatever the URL contains. */
export function placeToGo(values: URLSearchParams): string {
  const to = values.get("to") ?? "/"
  return /^\/(?![/\\])/.test(to) && !/^\/(?:sign-in|join)\b/.test(to) ? to : "/"
}
