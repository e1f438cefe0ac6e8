import type { Terminal } from '../../domain/terminal.ts';
import { type Integer, toNumber } from './cell.ts';

export interface TerminalRow {
  readonly id: string;
  readonly device_identifier: string;
  readonly barber_id: string;
  readonly business_id: string;
  readonly platform: Terminal['platform'];
  readonly device_model: string | null;
  readonly os_version: string | null;
  readonly app_version: string | null;
  readonly terminal_sdk_version: string | null;
  readonly created_at: Integer;
  readonly updated_at: Integer;
}

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
