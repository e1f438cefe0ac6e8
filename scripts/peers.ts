/** The peers that are installed in the lower end of their range too, as `<peer>-lowest`. */
export const peers = ['better-sqlite3', 'h3', 'neverthrow', 'pg'];
