import ts from 'typescript';
import type { Edit } from './edit.ts';

/** The name of the runner's switch, which says whether a mutant is the active one. */
export const switchName = 'mutates_';

interface Placed {
  readonly id: string;
  readonly edit: Edit;
}

/** The text with every edit inside, each behind its switch. An edit that has no place is left out. */
export function placeEdits(
  text: string,
  edits: readonly Edit[],
  nameOf: (index: number) => string,
): { readonly text: string; readonly placed: readonly Placed[] } {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.ESNext, true);
  const all = edits.map((edit, index) => ({ id: nameOf(index), edit }));
  const hosts = new Map<ts.Node, Placed[]>();
  const bodies = new Map<ts.Block, Placed[]>();
  for (const one of all) {
    const { host, body } = placeOf(source, one.edit);
    if (body !== undefined) bodies.set(body, [...(bodies.get(body) ?? []), one]);
    else if (host !== undefined) hosts.set(host, [...(hosts.get(host) ?? []), one]);
  }

  function shown(node: ts.Node): string {
    const start = node.getStart(source);
    let at = start;
    let out = '';
    ts.forEachChild(node, (child) => {
      const from = child.getStart(source);
      // A shorthand property has the same node twice.
      if (from < at) return;
      out += text.slice(at, from) + shown(child);
      at = child.end;
    });
    out += text.slice(at, node.end);
    if (ts.isBlock(node)) {
      const ignored = (bodies.get(node) ?? []).map(
        ({ id, edit }) => `if (${switchName}('${id}')) ${edit.inBody} = undefined;`,
      );
      out = `{${ignored.join(' ')}${out.slice(1)}`;
    }
    const own = (hosts.get(node) ?? []).map(
      ({ id, edit }) => `${switchName}('${id}') ? (${changed(node, edit)}) : `,
    );
    return own.length === 0 ? out : `(${own.join('')}${out})`;
  }

  function changed(host: ts.Node, { start, end, to, rule }: Edit): string {
    if (rule === 'drop a statement') return 'undefined';
    return text.slice(host.getStart(source), start) + to + text.slice(end, host.end);
  }

  const header = `const ${switchName} = globalThis.${switchName} ?? (() => false);`;
  const begin = source.getStart(source);
  return {
    text: `${header} ${text.slice(0, begin)}${shown(source)}`,
    placed: [...hosts.values(), ...bodies.values()].flat(),
  };
}

interface Place {
  /** The edit is another value of this expression. */
  readonly host?: ts.Node;
  /** The edit is a statement at the beginning of this body. */
  readonly body?: ts.Block;
}

function placeOf(source: ts.SourceFile, { start, end, rule, inBody }: Edit): Place {
  let node = smallest(source, source, start, end);
  if (rule === 'drop a statement' && ts.isExpressionStatement(node)) {
    return { host: node.expression };
  }
  for (; !ts.isSourceFile(node); node = node.parent) {
    if (inBody !== undefined && ts.isFunctionLike(node) && 'body' in node) {
      const { body } = node;
      if (body !== undefined && ts.isBlock(body)) return { body };
    }
    if (isHost(node)) return { host: node };
  }
  return {};
}

function smallest(source: ts.SourceFile, node: ts.Node, start: number, end: number): ts.Node {
  const inner = ts.forEachChild(node, (child) =>
    child.getStart(source) <= start && child.end >= end ? child : undefined,
  );
  return inner === undefined ? node : smallest(source, inner, start, end);
}

/** Whether another expression may stand instead of the node. */
function isHost(node: ts.Node): boolean {
  const { parent } = node;
  if (!ts.isExpression(node) || ts.isTypeNode(node)) return false;
  if (ts.isSpreadElement(node) || ts.isOmittedExpression(node)) return false;
  if (ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node)) {
    if (ts.isBinaryExpression(parent) && parent.left === node) return false;
  }
  if (isName(node, parent)) return false;
  if (ts.isLiteralTypeNode(parent) || ts.isHeritageClause(parent)) return false;
  if (ts.isTaggedTemplateExpression(parent) || ts.isTemplateSpan(parent)) {
    return ts.isTemplateSpan(parent) && parent.expression === node;
  }
  // A method keeps its receiver, and a chain its end.
  const isCallee =
    (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === node;
  if (isCallee && !ts.isIdentifier(node)) return false;
  if (ts.isOptionalChain(node) && 'expression' in parent && parent.expression === node) {
    return !ts.isOptionalChain(parent);
  }
  return !isTarget(node, parent);
}

/** A word that is the name of something and no value. */
function isName(node: ts.Node, parent: ts.Node): boolean {
  if (!ts.isIdentifier(node) && !ts.isStringLiteralLike(node) && !ts.isNumericLiteral(node)) {
    return false;
  }
  if (ts.isShorthandPropertyAssignment(parent) || ts.isBindingElement(parent)) {
    return !('initializer' in parent) || parent.initializer !== node;
  }
  return 'name' in parent && parent.name === node;
}

/** The expression is written to. */
function isTarget(node: ts.Node, parent: ts.Node): boolean {
  if (ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent)) {
    return /\+\+|--/.test(parent.getText());
  }
  if (ts.isDeleteExpression(parent)) return true;
  if (ts.isForOfStatement(parent) && parent.initializer === node) return true;
  if (!ts.isBinaryExpression(parent) || parent.left !== node) return false;
  const { kind } = parent.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}
