// One page of every option of every package, from the comments of the sources.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
const printer = ts.createPrinter({ removeComments: true });

/** `{@link Name}` is a word here. */
const plain = (comment: string) =>
  comment.replaceAll(/\{@link (\w+)\}/g, '`$1`').replaceAll(/\s*\n\s*/g, ' ');

function commentOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return plain(ts.getTextOfJSDocComment(comment?.comment) ?? '');
}

function describe(options: ts.InterfaceDeclaration, file: ts.SourceFile): string {
  const bases = options.heritageClauses?.flatMap(({ types }) =>
    types.map((type) => type.getText()),
  );
  const members = options.members.filter(ts.isPropertySignature).map((member) => {
    const type = printer
      .printNode(ts.EmitHint.Unspecified, member.type ?? member, file)
      .replace(/ \| undefined$/, '')
      .replaceAll(/\s*\n\s*/g, ' ');
    const need = member.questionToken ? '' : ' **Required.**';
    return `- \`${member.name.getText()}\`: \`${type}\`.${need} ${commentOf(member)}`;
  });
  return [
    `### ${options.name.text}`,
    commentOf(options),
    ...(bases ? [`It also has the options of \`${bases.join('`, `')}\`.`] : []),
    members.join('\n'),
  ].join('\n\n');
}

const packages = [
  'core',
  'h3',
  'sqlite',
  'postgres',
  'stripe',
  'fake-processor',
  'client',
  'webhooks',
  'opentelemetry',
];

function sectionsOf(name: string): readonly string[] {
  const report = globSync(join(root, `packages/${name}/etc/*.api.md`))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const sections = globSync(join(root, `packages/${name}/src/**/*.ts`)).flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    return file.statements
      .filter(ts.isInterfaceDeclaration)
      .filter(({ name: { text } }) => report.includes(`export interface ${text} `))
      .filter(({ name: { text } }) => text.endsWith('Options'))
      .map((options) => describe(options, file));
  });
  // What most hosts set has the most options.
  return [`## @chairside/${name}`, ...sections.toSorted((a, b) => b.length - a.length)];
}

export const optionsPage = (): string =>
  [
    '# Options',
    'Every option of every package, as its source states it. `undefined` counts as left out.',
    ...packages.flatMap(sectionsOf),
    '',
  ].join('\n\n');
