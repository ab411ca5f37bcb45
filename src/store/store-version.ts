/** "Dreb" in ASCII: tells the database of learned memory from other programs' files and from an index. */
export const applicationId = 0x44726562

/** How many migrations make the tables that this code works with. */
export const schemaVersion = 4
