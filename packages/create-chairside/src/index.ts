export { type Choices, hosts, processors, stores } from './choices.ts';
export { createProject, packagesOf } from './project.ts';
