import type { Terminal } from '../../domain/terminal.ts';
import { columnsOf, type Encoders, type RowOf, toNumber } from './columns.ts';

const terminalEncoders = {
  id: (t) => t.id,
  device_identifier: (t) => t.deviceIdentifier,
  barber_id: (t) => t.barberId,
  business_id: (t) => t.businessId,
  platform: (t) => t.platform,
  device_model: (t) => t.deviceModel,
  os_version: (t) => t.osVersion,
  app_version: (t) => t.appVersion,
  terminal_sdk_version: (t) => t.terminalSdkVersion,
  created_at: (t) => t.createdAt,
  updated_at: (t) => t.updatedAt,
} satisfies Encoders<Terminal>;
export type TerminalRow = RowOf<typeof terminalEncoders>;
export const terminalColumns = columnsOf<Terminal>(terminalEncoders);

export function toTerminal(row: TerminalRow): Terminal {
  return {
    id: row.id,
    deviceIdentifier: row.device_identifier,
    barberId: row.barber_id,
    businessId: row.business_id,
    platform: row.platform,
    ...(row.device_model !== null && { deviceModel: row.device_model }),
    ...(row.os_version !== null && { osVersion: row.os_version }),
    ...(row.app_version !== null && { appVersion: row.app_version }),
    ...(row.terminal_sdk_version !== null && { terminalSdkVersion: row.terminal_sdk_version }),
    createdAt: toNumber(row.created_at),
    updatedAt: toNumber(row.updated_at),
  };
}
