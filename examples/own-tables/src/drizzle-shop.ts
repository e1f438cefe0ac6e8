import type { Database } from 'better-sqlite3';
import { eq, sql, sum } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { type Shop, toAppointment } from './shop.ts';

// Amounts have at most 15 digits, so a number holds them exactly.
const barbers = sqliteTable('barbers', {
  id: text().primaryKey(),
  givenName: text('given_name').notNull(),
  surname: text().notNull(),
});
const appointments = sqliteTable('appointments', {
  id: text().primaryKey(),
  barberId: text('barber_id').notNull(),
  startsAt: integer('starts_at', { mode: 'timestamp_ms' }).notNull(),
  dueMinor: integer('due_minor').notNull(),
});
const cardEntries = sqliteTable('card_entries', {
  reference: text().primaryKey(),
  appointmentId: text('appointment_id').notNull(),
  paidMinor: integer('paid_minor').notNull(),
  tipMinor: integer('tip_minor').notNull(),
  feeMinor: integer('fee_minor').notNull(),
  sequence: text().notNull(),
});

/** The shop in SQLite, by Drizzle. */
export function openDrizzleShop(client: Database): Shop {
  const db = drizzle({ client });
  return {
    async appointment(id) {
      const row = db
        .select()
        .from(appointments)
        .innerJoin(barbers, eq(barbers.id, appointments.barberId))
        .where(eq(appointments.id, id))
        .get();
      if (row === undefined) return undefined;
      const dueMinor = BigInt(row.appointments.dueMinor);
      return toAppointment({ ...row.barbers, ...row.appointments, dueMinor });
    },

    async setDue(id, dueMinor) {
      const due = { dueMinor: Number(dueMinor) };
      db.update(appointments).set(due).where(eq(appointments.id, id)).run();
    },

    async record({ reference, appointmentId, paidMinor, tipMinor, feeMinor, sequence }) {
      const row = {
        reference,
        appointmentId,
        paidMinor: Number(paidMinor),
        tipMinor: Number(tipMinor),
        feeMinor: Number(feeMinor),
        sequence,
      };
      db.insert(cardEntries)
        .values(row)
        .onConflictDoUpdate({
          target: cardEntries.reference,
          set: row,
          setWhere: sql`${cardEntries.sequence} < ${row.sequence}`,
        })
        .run();
    },

    async paidByCardMinor(appointmentId) {
      const row = db
        .select({ paid: sum(cardEntries.paidMinor) })
        .from(cardEntries)
        .where(eq(cardEntries.appointmentId, appointmentId))
        .get();
      return BigInt(row?.paid ?? 0);
    },
  };
}
