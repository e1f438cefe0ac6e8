import { type ProblemType, problemTypes } from '@chairside/core';
import { reasons } from '@chairside/core/ports';
import { escaped, inline } from './markdown.ts';

interface Reason {
  readonly when: string;
  readonly recovery: string;
  readonly action: string;
}

const recoveries: Readonly<Record<string, string>> = {
  final: 'Nothing was done. The same request will not help.',
  later: 'Nothing was done. Wait, then send the same request again.',
  unknown:
    'It is not known whether it was done. Wait, then send the same request again, with the same key.',
  finalOnceReleased:
    'Nothing was charged once the payment is released; until then wait, and send the same request again.',
};

export function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(problemTypes, name);
}

/** Explains a problem type to a person who opens its address. */
export function problemPage(type: ProblemType): string {
  const { status, title } = problemTypes[type];
  const rows = Object.entries<Reason>(
    Object.hasOwn(reasons, type) ? Reflect.get(reasons, type) : {},
  );
  const list = rows
    .map(
      ([name, { when, recovery, action }]) => `
      <h2 id="${name}"><code>${name}</code></h2>
      <p>${inline(when)}</p>
      <p>${inline(action)}</p>
      <p class="hint">${escaped(recoveries[recovery] ?? '')}</p>`,
    )
    .join('');
  return `
    <p class="hint">Problem ${status}</p>
    <h1>${escaped(title)}</h1>
    <p>The type of this problem is <code>${type}</code>; its HTTP status is ${status}.
      Its <code>recovery</code> says whether anything was done, and whether to send the same request again.</p>
    ${list === '' ? '' : `<p>Its <code>attributes.reason</code> is one of these:</p>${list}`}
    <h2>All problems</h2>
    <ul class="all">${Object.entries(problemTypes)
      .map(
        ([name, problem]) =>
          `<li><a href="${name}"><code>${name}</code></a> <span class="hint">${problem.status} ${escaped(problem.title)}</span></li>`,
      )
      .join('')}</ul>`;
}
