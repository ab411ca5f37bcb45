const key = "drey-organisation"

/** The short name that was used last in this browser; "" when there is none. */
export function lastOrganisation(): string {
  return localStorage.getItem(key) ?? ""
}

export function keepOrganisation(slug: string): void {
  localStorage.setItem(key, slug)
}
