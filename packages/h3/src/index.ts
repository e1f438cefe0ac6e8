export { defaultProblemBase } from './addresses.ts';
export type { Authenticate, HostRequest } from './authenticate.ts';
export { maxBodyLength } from './body.ts';
export type { CorsOptions } from './cors.ts';
export { type Drained, type DrainOptions, drain } from './drain.ts';
export { type ChairsideHandler, chairsideHandler } from './handler.ts';
export { buildOpenApi, type OpenApiAbout, type OpenApiOptions } from './openapi/build.ts';
export type { OpenApiDocument } from './openapi/document.ts';
export {
  buildChargesOpenApi,
  buildReceiptsOpenApi,
  buildRefundsOpenApi,
  buildSharesOpenApi,
  buildTendersOpenApi,
  chargeRoutes,
  receiptRoutes,
  refundRoutes,
  shareRoutes,
  tenderRoutes,
} from './optional.ts';
export type { ChairsideHandlerOptions } from './options.ts';
export { type ProcessorEventsOptions, processorEventsHandler } from './processor-events.ts';
export { type ReadinessOptions, readinessHandler } from './readiness.ts';
export type { Route } from './route.ts';
export { routes } from './routes.ts';
export { type UpkeepHandlerOptions, upkeepHandler } from './upkeep.ts';
