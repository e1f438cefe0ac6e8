export type { WebhookFailure } from './failure.ts';
export { createWebhookHandler } from './handler.ts';
export type { WebhookOptions, WebhookOptionsError } from './options.ts';
