import { describe, expect, it } from 'vitest';
import { isUndone } from './postgres-error.ts';

const withState = (code: string) =>
  Object.assign(new Error('as the test wants it'), { severity: 'ERROR', code });

/** Codes of each class of PostgreSQL's list, appendix A of its manual. */
describe('an error proves that the transaction did not commit', () => {
  it.each([
    ['feature not supported', '0A000'],
    ['case not found', '20000'],
    ['cardinality', '21000'],
    ['data', '22000 22P02'],
    ['integrity constraint', '23000 23505'],
    ['cursor state', '24000'],
    ['transaction state', '25000 25001 25006 25P02 25P03 25P04'],
    ['statement name', '26000'],
    ['triggered data change', '27000'],
    ['authorization', '28000 28P01'],
    ['dependent privileges', '2B000'],
    ['transaction termination', '2D000'],
    ['SQL routine', '2F000'],
    ['cursor name', '34000'],
    ['external routine', '38000'],
    ['external routine invocation', '39000'],
    ['savepoint', '3B000'],
    ['catalog name', '3D000'],
    ['schema name', '3F000'],
    ['transaction rollback', '40000 40001 40002 40P01'],
    ['syntax or access rule', '42000 42501 42883'],
    ['check option', '44000'],
    ['program limit', '54000'],
    ['prerequisite state', '55000 55P03'],
    ['query canceled', '57014'],
  ])('with the class %s', (_, codes) => {
    const undone = codes.split(' ').filter((code) => isUndone(withState(code)));
    expect(undone.join(' ')).toBe(codes);
  });
});

describe('an error leaves the commit unknown', () => {
  it.each([
    ['statement completion unknown', '40003'],
    ['no active transaction', '25P01'],
    ['success and warnings', '00000 01000 02000'],
    ['statement not yet complete', '03000'],
    ['connection exception', '08000 08003 08006 08007 08P01'],
    ['connection name, of the SQL standard', '2E000'],
    ['insufficient resources', '53000 53100 53200 53300'],
    ['operator intervention', '57000 57P01 57P02 57P03 57P04 57P05'],
    ['system error', '58000 58030'],
    ['configuration file', 'F0000'],
    ['foreign data wrapper', 'HV000'],
    ['PL/pgSQL', 'P0000 P0001'],
    ['internal error', 'XX000 XXA00'],
  ])('with the class %s', (_, codes) => {
    expect(codes.split(' ').filter((code) => isUndone(withState(code)))).toStrictEqual([]);
  });

  it('without a code of the server', () => {
    expect(isUndone(new Error('Connection terminated'))).toBe(false);
  });
});
