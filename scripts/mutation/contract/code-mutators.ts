import ts from 'typescript';
import type { Edit } from './edit.ts';
import { isSql, sqlEdits } from './sql-mutators.ts';

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};
/** Words of the ports whose exchange changes what an answer means. */
const words: Readonly<Record<string, string>> = {
  notApplied: 'unknown',
  unknown: 'notApplied',
  open: 'resolved',
  resolved: 'open',
  captured: 'canceled',
  canceled: 'authorized',
  authorized: 'captured',
  failed: 'created',
  created: 'failed',
  processing: 'created',
  rejected: 'notSetUp',
  refund: 'dispute',
  dispute: 'refund',
};
/** Calls that choose, order or cut. Without them the list is another. */
const listCalls = new Set(['filter', 'reverse', 'toReversed', 'sort', 'toSorted', 'slice']);

/** Every fault of a file, each as one replacement. */
export function editsOf(text: string): readonly Edit[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.ESNext, true);
  const edits: Edit[] = [];
  const cut = (node: ts.Node) => text.slice(node.getStart(source), node.end);
  const replace = (node: ts.Node, to: string, rule: string) => {
    edits.push({ start: node.getStart(source), end: node.end, to, rule });
  };

  function visit(node: ts.Node): void {
    if (isOnlyForTypes(node)) return;
    mutate(node);
    ts.forEachChild(node, visit);
  }

  function mutate(node: ts.Node): void {
    if (ts.isIfStatement(node)) condition(node.expression);
    else if (ts.isConditionalExpression(node)) condition(node.condition);
    else if (ts.isBinaryExpression(node)) binary(node);
    else if (ts.isExpressionStatement(node)) replace(node, ';', 'drop a statement');
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      replace(node, cut(node.operand), 'drop a not');
    } else if (ts.isCallExpression(node)) call(node);
    else if (ts.isArrayLiteralExpression(node)) list(node);
    else if (ts.isObjectLiteralExpression(node)) record(node);
    else if (ts.isParameter(node)) parameter(node);
    else literal(node);
  }

  function condition(node: ts.Expression): void {
    replace(node, 'true', 'drop a condition');
    replace(node, 'false', 'drop a condition');
  }

  function binary({ left, right, operatorToken }: ts.BinaryExpression): void {
    const operator = operatorToken.getText(source);
    if (/^(?:&&|\|\||\?\?)$/.test(operator)) {
      const whole = { start: left.getStart(source), end: right.end };
      edits.push({ ...whole, to: cut(left), rule: 'drop an operand' });
      edits.push({ ...whole, to: cut(right), rule: 'drop an operand' });
    }
    const other = operators[operator];
    // A sum of texts has no difference.
    const isOfText = [left, right].some((side) => ts.isStringLiteralLike(side));
    if (other !== undefined && !isOfText) replace(operatorToken, other, `${operator} for ${other}`);
  }

  function call(node: ts.CallExpression): void {
    const { expression, arguments: given } = node;
    if (ts.isPropertyAccessExpression(expression)) {
      const list = cut(expression.expression);
      const name = expression.name.text;
      if (listCalls.has(name)) replace(node, list, `drop ${name}`);
      if (name === 'map' || name === 'flatMap') {
        replace(node, `${cut(node)}.slice?.(1)`, 'cut a list');
        replace(node, `${cut(node)}.slice?.(0, 100)`, 'cut a list');
      }
      if (name === 'map' || name === 'all') replace(node, '[]', 'answer an empty list');
    }
    swapNeighbours(given, 'swap two arguments');
  }

  function list({ elements }: ts.ArrayLiteralExpression): void {
    swapNeighbours(elements, 'swap two values');
  }

  function swapNeighbours(nodes: readonly ts.Expression[], rule: string): void {
    for (const [index, first] of nodes.entries()) {
      const second = nodes[index + 1];
      if (second === undefined || !isName(first) || !isName(second)) continue;
      const between = text.slice(first.end, second.getStart(source));
      const to = `${cut(second)}${between}${cut(first)}`;
      edits.push({ start: first.getStart(source), end: second.end, to, rule });
    }
  }

  function record({ properties }: ts.ObjectLiteralExpression): void {
    for (const property of properties) {
      if (ts.isMethodDeclaration(property) || properties.length < 2) continue;
      const following = text.slice(property.end).match(/^\s*,/)?.[0] ?? '';
      const end = property.end + following.length;
      edits.push({ start: property.getStart(source), end, to: '', rule: 'drop a member' });
    }
  }

  /** Inside the function the parameter is undefined. */
  function parameter(node: ts.ParameterDeclaration): void {
    const { name, parent } = node;
    if (!('body' in parent) || parent.body === undefined) return;
    if (ts.isIdentifier(name) && !name.text.startsWith('_')) {
      ignore(name, `{ ignored_: ${name.text} }`, name.text);
    }
    if (!ts.isObjectBindingPattern(name)) return;
    for (const element of name.elements) {
      if (element.dotDotDotToken !== undefined || !ts.isIdentifier(element.name)) continue;
      const given = element.name.text;
      const initial = element.initializer === undefined ? '' : ` = ${cut(element.initializer)}`;
      ignore(element, `ignored_: ${given}${initial}`, given);
    }
  }

  function ignore(node: ts.Node, to: string, inBody: string): void {
    const place = { start: node.getStart(source), end: node.end };
    edits.push({ ...place, to, rule: 'ignore a parameter', inBody });
  }

  function literal(node: ts.Node): void {
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false', 'another constant');
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true', 'another constant');
    if (ts.isNumericLiteral(node)) replace(node, `(${cut(node)} + 1)`, 'another constant');
    if (ts.isBigIntLiteral(node)) replace(node, `(${cut(node)} + 1n)`, 'another constant');
    if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return;
    const start = node.getStart(source) + 1;
    const inside = text.slice(start, node.end - 1);
    if (isSql(inside)) {
      for (const edit of sqlEdits(inside)) {
        const place = { start: start + edit.start, end: start + edit.end };
        edits.push({ ...place, to: edit.to, rule: `SQL: ${edit.rule}` });
      }
      return;
    }
    const other = words[inside];
    if (other !== undefined) replace(node, `'${other}'`, 'another word of the port');
  }

  visit(source);
  return edits.filter(({ start, end, to }) => text.slice(start, end) !== to);
}

function isName(node: ts.Node): boolean {
  return ts.isIdentifier(node) || ts.isPropertyAccessExpression(node);
}

function isOnlyForTypes(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node)
  );
}
