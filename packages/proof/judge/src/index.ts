export { type Event, parseHistory } from './history.ts';
export { type Finding, judge } from './judge.ts';
