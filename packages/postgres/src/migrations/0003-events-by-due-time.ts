/** Events that nobody took are found by when they were due, and need no index of their own. */
export const eventsByDueTime = `
DROP INDEX IF EXISTS @.events_untaken;
`;
