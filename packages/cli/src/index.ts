export { type ChairsideConfig, type ConfigExport, defineConfig } from './config.ts';
