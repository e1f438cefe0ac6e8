import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Chairside, type EventHandler, err, ok, type Result, secondMs } from '@chairside/core';
import { readFile } from './sqlite-file.ts';

/** What `chairside` works with: your own Chairside, as your program makes it. */
export interface ChairsideConfig {
  readonly chairside: Chairside;
  /** Your handler of events. Without it `chairside upkeep` delivers none. */
  readonly deliver?: EventHandler | undefined;
  /** The ids of the businesses whose accounts `chairside doctor` checks. */
  readonly businesses?: readonly string[] | undefined;
  /** Closes what was opened. Default: the store is closed. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** A function is called once a command needs it. */
export type ConfigExport = ChairsideConfig | (() => ChairsideConfig | Promise<ChairsideConfig>);

/**
 * Gives the default export of `chairside.config.ts` its type.
 *
 * @example
 * export default defineConfig(async () => {
 *   const { chairside, deliver } = await openShop();
 *   return { chairside, deliver, businesses: ['marlow'] };
 * });
 */
export function defineConfig<const C extends ConfigExport>(config: C): C {
  return config;
}

interface ConfigSource {
  readonly cwd: string;
  /** A path; else the names below are looked for in `cwd`. */
  readonly config?: string | undefined;
  /** A SQLite file to look at, instead of a configuration. */
  readonly sqlite?: string | undefined;
}

/** What commands work with. Of a file that is only read there is no processor to ask. */
export interface Opened extends ChairsideConfig {
  readonly isReadOnly: boolean;
  /** What could not be read so far, in sentences. A store of a configuration tells its own `onError`. */
  readonly faults?: ReadonlySet<string>;
}

export type OpenConfig = (source: ConfigSource) => Promise<Result<Opened, string>>;

const names = ['ts', 'mts', 'js', 'mjs'].map((end) => `chairside.config.${end}`);
/** A database that does not answer must not keep the person waiting. */
const longestMs = 60 * secondMs;

/** An error is one sentence for a person. */
export const openConfig: OpenConfig = async ({ cwd, config, sqlite }) => {
  if (sqlite !== undefined) {
    const faults = new Set<string>();
    const onFault = (error: unknown) => void faults.add(`${firstLine(error)}.`);
    const read = await readFile(resolve(cwd, sqlite), onFault);
    return read.map((chairside) => ({ chairside, isReadOnly: true, faults }));
  }
  const path =
    config === undefined
      ? names.map((name) => resolve(cwd, name)).find((one) => existsSync(one))
      : resolve(cwd, config);
  if (path === undefined) {
    return err(
      `There is no ${names[0]} in ${cwd}. Write one (docs/operate/command.md), name one with --config, or look at a file with --sqlite.`,
    );
  }
  if (!existsSync(path)) return err(`There is no file ${path}.`);
  // As the program itself gets it. What the environment has already counts.
  const environment = resolve(dirname(path), '.env');
  if (existsSync(environment)) process.loadEnvFile(environment);
  return inTime(load(path), path);
};

async function load(path: string): Promise<Result<Opened, string>> {
  try {
    const loaded: unknown = await import(pathToFileURL(path).href);
    const exported: unknown = Reflect.get(Object(loaded), 'default');
    const made: unknown = typeof exported === 'function' ? await exported() : exported;
    if (!isConfig(made)) {
      return err(
        `${path} must export by default an object with a chairside that createChairside made, or a function that returns one.`,
      );
    }
    return ok({ ...made, isReadOnly: false });
  } catch (thrown) {
    return err(whyOf(path, thrown));
  }
}

function isConfig(made: unknown): made is ChairsideConfig {
  const ports: unknown = Reflect.get(Object(Reflect.get(Object(made), 'chairside')), 'ports');
  return typeof Reflect.get(Object(ports), 'store') === 'object';
}

function whyOf(path: string, thrown: unknown): string {
  const { code } = Object(thrown);
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `Node ${process.versions.node} does not run ${path}: Node 22.18 or later runs TypeScript, and any Node a chairside.config.js.`;
  }
  return `${path} could not be loaded: ${firstLine(thrown)}`;
}

/** The first line of a message. The others often are a stack, or quote the file. */
export function firstLine(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.split('\n')[0]?.trim() || 'an error without a message';
}

async function inTime<T>(running: Promise<Result<T, string>>, path: string) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result<T, string>>((resolve) => {
    timer = setTimeout(() => {
      resolve(err(`${path} was not ready after ${longestMs / secondMs} seconds.`));
    }, longestMs);
  });
  return Promise.race([running, late]).finally(() => clearTimeout(timer));
}
