import type { Evidence } from './evidence.ts';
import type { Exchange } from './request-log.ts';

/** Tells requests apart that were sent under one key, before and after it was forgotten. */
export interface Generations {
  /** Undefined for a request that was running at the time: either generation may respond. */
  of(exchange: Exchange): number | undefined;
}

export function generationsOf({ claims }: Evidence): Generations {
  const forgotten = Map.groupBy(
    claims.filter(({ isForgotten }) => isForgotten),
    ({ record }) => `${record.subject} ${record.key}`,
  );
  return {
    of({ subject, key, from, to = Number.POSITIVE_INFINITY }) {
      const moments = (forgotten.get(`${subject} ${key}`) ?? []).flatMap(({ gone }) => gone ?? []);
      if (moments.some((moment) => moment > from && moment < to)) return undefined;
      return moments.filter((moment) => moment <= from).length;
    },
  };
}
