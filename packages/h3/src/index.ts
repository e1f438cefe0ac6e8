export type { Authenticate } from './authenticate.ts';
export { maxBodyLength } from './body.ts';
export { type ChairsideHandler, chairsideHandler } from './handler.ts';
export { buildOpenApi, type OpenApiOptions } from './openapi/build.ts';
export type { OpenApiDocument } from './openapi/document.ts';
export type { ChairsideHandlerOptions } from './options.ts';
export { type ProcessorEventsOptions, processorEventsHandler } from './processor-events.ts';
export type { Route, RoutedOperation } from './route.ts';
export { routes } from './routes.ts';
