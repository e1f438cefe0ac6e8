/** Events that nobody took are found by when they were due, and need neither an index nor a mark. */
export const eventsByDueTime = `
DROP INDEX IF EXISTS @.events_untaken;
DROP INDEX IF EXISTS @.events_to_forget;
`;
