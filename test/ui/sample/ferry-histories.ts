import type { Noted } from "./note.ts"

/** What each agent has noted for itself. */
export const ferryHistories: Record<string, Noted[]> = {
  kane: [
    note(
      115,
      "Kane",
      "Sessions moved without a logout",
      "Reading from both stores for a day kept everybody logged in.",
    ),
    note(95, "Kane", "The bank's sandbox forgets keys after an hour", "Tests of retries must run within it."),
    note(
      43,
      "Kane",
      "Tariff rows overlap in April",
      "The older row holds until noon of the change; the import sorts by day.",
      ["tariffs"],
    ),
    note(12, "Kane", "The timetable file is in Latin-1", "Decode it before parsing, or Ærø becomes ?r?.", ["import"]),
  ],
  mira: [
    note(111, "Mira", "Intl needs the harbour's zone by name", "Offsets go wrong twice a year.", ["time"]),
    note(
      81,
      "Mira",
      "The hold clock drifts in background tabs",
      "Count down from the server's time when the tab returns.",
      ["seats"],
    ),
    note(20, "Mira", "QR codes need a quiet zone of four modules", "The crew's scanner fails on dark mode otherwise.", [
      "tickets",
    ]),
  ],
  otto: [
    note(139, "Otto", "Containers need 40 s on the first run", "Wait for the health check, not for the port.", [
      "tests",
    ]),
    note(74, "Otto", "The slowest test was the login", "A saved session makes the suite two minutes faster.", [
      "tests",
    ]),
    note(
      1,
      "Otto",
      "Load test: the tariff query is the bottleneck",
      "An index on line and day takes it from 90 ms to 2 ms.",
      ["operations", "tariffs"],
    ),
  ],
  rhea: [
    note(89, "Rhea", "Log lines over 16 KB are cut by the shipper", "Payloads are logged by their hash.", ["logging"]),
    note(28, "Rhea", "A restore takes 22 minutes", "Most of it is the index on bookings.", ["storage"]),
  ],
}

function note(days: number, author: string, title: string, text: string, tags: string[] = []): Noted {
  return { days, author, title, text, tags }
}
