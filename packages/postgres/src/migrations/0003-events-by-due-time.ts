/** Untaken events are found by their due time, so they need no separate index. */
export const eventsByDueTime = `
DROP INDEX IF EXISTS @.events_untaken;
`;
