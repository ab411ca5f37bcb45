import { installPackage } from "../install-package.ts"
import { findPostgres } from "./find-postgres.ts"

// Before the tests: those of the team server run on a PostgreSQL server beside the embedded one; nothing else fails without it.
if (!findPostgres()) installPackage("postgresql-15", "for the tests of the team server")
if (!findPostgres())
  console.log(
    "PostgreSQL not found: the team server will be tested on the embedded one only. Install it, or set DREY_POSTGRES to the folder of its programs.",
  )
