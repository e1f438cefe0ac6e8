import type { Caller } from '../call/call.ts';
import type { ResultAsync } from '../domain/result.ts';
import type {
  CreateTerminalConnectionTokenError,
  CreateTerminalConnectionTokenInput,
} from '../operations/createTerminalConnectionToken.ts';
import type { DeleteTerminalError, DeleteTerminalInput } from '../operations/deleteTerminal.ts';
import type { GetTerminalError, GetTerminalInput } from '../operations/getTerminal.ts';
import type { ListTerminalsError } from '../operations/listTerminals.ts';
import type {
  RegisterTerminalError,
  RegisterTerminalInput,
} from '../operations/registerTerminal.ts';
import type { ReleaseTerminalError, ReleaseTerminalInput } from '../operations/releaseTerminal.ts';
import type { TerminalConnectionToken, Terminals, TerminalView } from '../schemas/terminal.ts';

/** The barbers' phones that take cards. */
export interface TerminalUseCases {
  /**
   * Registers the barber's phone as a terminal. A device that is too old is 422
   * `contactlessPaymentDeviceUnsupported`, with every failed rule in `attributes.reasons`.
   *
   * @example
   * const terminal = await chairside.registerTerminal(barber, {
   *   body: { platform: 'ios', deviceIdentifier: '5E9C3C52', deviceModel: 'iPhone14,5' },
   * });
   */
  registerTerminal(
    caller: Caller,
    input: RegisterTerminalInput,
  ): ResultAsync<TerminalView, RegisterTerminalError>;

  /**
   * Lists the barber's terminals, oldest first.
   *
   * @example
   * const count = await chairside.listTerminals(barber).map((terminals) => terminals.count);
   */
  listTerminals(caller: Caller): ResultAsync<Terminals, ListTerminalsError>;

  /**
   * Reads one of the barber's terminals.
   *
   * @example
   * const terminal = await chairside.getTerminal(barber, { terminalId: 'trm_01h' });
   */
  getTerminal(caller: Caller, input: GetTerminalInput): ResultAsync<TerminalView, GetTerminalError>;

  /**
   * Unregisters one of the barber's terminals. The device can then be registered again.
   *
   * @example
   * const removed = await chairside.deleteTerminal(barber, { terminalId: 'trm_01h' });
   */
  deleteTerminal(
    caller: Caller,
    input: DeleteTerminalInput,
  ): ResultAsync<void, DeleteTerminalError>;

  /**
   * Releases a lost or sold device of any barber, for the host, so that it can be registered again.
   *
   * @example
   * const released = await chairside.releaseTerminal(manager, { deviceIdentifier: '5E9C3C52' });
   */
  releaseTerminal(
    caller: Caller,
    input: ReleaseTerminalInput,
  ): ResultAsync<void, ReleaseTerminalError>;

  /**
   * Creates a short-lived token for the terminal's SDK. It is never stored, logged or replayed: fetch a
   * new one for each connection.
   *
   * @example
   * const token = await chairside.createTerminalConnectionToken(barber, { terminalId: 'trm_01h' });
   */
  createTerminalConnectionToken(
    caller: Caller,
    input: CreateTerminalConnectionTokenInput,
  ): ResultAsync<TerminalConnectionToken, CreateTerminalConnectionTokenError>;
}
