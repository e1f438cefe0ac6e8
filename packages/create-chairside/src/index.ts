export { type Choices, hosts, processors, stores } from './choices.ts';
export { createProject } from './project.ts';
