import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { type Shop, toAppointment } from './shop.ts';

/** pg returns BIGINT as text. */
interface Tables {
  readonly barbers: {
    readonly id: string;
    readonly given_name: string;
    readonly surname: string;
  };
  readonly appointments: {
    readonly id: string;
    readonly barber_id: string;
    readonly starts_at: Date;
    readonly due_minor: string;
  };
  readonly card_entries: {
    readonly reference: string;
    readonly appointment_id: string;
    readonly paid_minor: string;
    readonly tip_minor: string;
    readonly fee_minor: string;
    readonly sequence: string;
  };
}

/** The shop in PostgreSQL, by Kysely. The pool needs a `query_timeout`, because each read must end. */
export function openKyselyShop(pool: Pool): Shop {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    async appointment(id) {
      const row = await db
        .selectFrom('appointments')
        .innerJoin('barbers', 'barbers.id', 'appointments.barber_id')
        .where('appointments.id', '=', id)
        .select(['appointments.id', 'starts_at', 'due_minor', 'barber_id', 'given_name', 'surname'])
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return toAppointment({
        id: row.id,
        startsAt: row.starts_at,
        dueMinor: BigInt(row.due_minor),
        barberId: row.barber_id,
        givenName: row.given_name,
        surname: row.surname,
      });
    },

    async setDue(id, dueMinor) {
      const due = { due_minor: `${dueMinor}` };
      await db.updateTable('appointments').set(due).where('id', '=', id).execute();
    },

    async record({ reference, appointmentId, paidMinor, tipMinor, feeMinor, sequence }) {
      const row = {
        reference,
        appointment_id: appointmentId,
        paid_minor: `${paidMinor}`,
        tip_minor: `${tipMinor}`,
        fee_minor: `${feeMinor}`,
        sequence,
      };
      await db
        .insertInto('card_entries')
        .values(row)
        .onConflict((existing) =>
          existing
            .column('reference')
            .doUpdateSet(row)
            .where('card_entries.sequence', '<', sequence),
        )
        .execute();
    },

    async paidByCardMinor(appointmentId) {
      const { paid } = await db
        .selectFrom('card_entries')
        .where('appointment_id', '=', appointmentId)
        .select(({ fn }) => fn.sum<string | null>('paid_minor').as('paid'))
        .executeTakeFirstOrThrow();
      return BigInt(paid ?? 0);
    },
  };
}
