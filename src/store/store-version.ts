/** "Dreb" in ASCII: distinguishes this database from other programs' files and from an index. */
export const applicationId = 0x44726562

/** The schema version this code works with, which is the number of migrations. */
export const schemaVersion = 4
