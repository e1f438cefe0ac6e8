// Writes `etc/<entry>.api.md` of each built package by API Extractor. A change of a report is a change of the API.
// `--check` writes nothing, and fails where a report is out of date.
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const temporary = join(root, 'coverage/api');
mkdirSync(temporary, { recursive: true });

const compilerOptions = {
  module: 'nodenext',
  target: 'es2024',
  lib: ['ES2024'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};
const silent = { default: { logLevel: ExtractorLogLevel.None } };

function report(folder: string, entry: string): boolean {
  const name = entry.replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1').replaceAll('/', '-');
  mkdirSync(join(folder, 'etc'), { recursive: true });
  const extractorConfig = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, entry),
      compiler: { overrideTsconfig: { compilerOptions, files: [join(folder, entry)] } },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: join(folder, 'etc'),
        reportTempFolder: temporary,
        includeForgottenExports: true,
      },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: silent,
        tsdocMessageReporting: silent,
      },
    },
  });
  const { apiReportChanged } = Extractor.invoke(extractorConfig, {
    localBuild: !isCheck,
    messageCallback: (message) => {
      // The next line says it, with the command to run.
      if (message.messageId.startsWith('console-')) message.handled = true;
    },
  });
  return apiReportChanged;
}

for (const path of globSync('packages/{*,proof/*}/package.json', { cwd: root }).sort()) {
  const folder = join(root, dirname(path));
  const { private: isPrivate, exports } = JSON.parse(readFileSync(join(root, path), 'utf8'));
  if (isPrivate === true) continue;
  for (const file of isCheck ? globSync('dist/**/*.d.ts', { cwd: folder }) : []) {
    const [cited] = /^.*\bD\d+\b.*$/m.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    if (cited === undefined) continue;
    console.error(`${path}: ${file} cites a decision, which users do not have: ${cited.trim()}`);
    process.exitCode = 1;
  }
  for (const { types } of Object.values<{ readonly types?: string }>(exports)) {
    if (types === undefined || !report(folder, types)) continue;
    if (!isCheck) console.log(`${path}: ${types} has changed`);
    else {
      console.error(`the API of ${types} in ${path} has changed: run \`npx --yes pnpm generate\``);
      process.exitCode = 1;
    }
  }
}
