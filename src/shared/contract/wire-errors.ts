import { defineError } from '../base/define-error.ts'

/**
 * Every refusal that a command can return. It crosses the wire as `{ code, message }`; the message says what to do
 * next.
 */
export const wireErrorCodes = [
  'BAD_REQUEST',
  'NOT_FOUND',
  'NOT_A_FOLDER',
  'UNREADABLE',
  'PROJECT_LOCKED',
  'ALREADY_DECIDED',
  'CONFLICT',
  'NO_KEY',
  'REFUSED',
  'CANCELLED',
  'NOT_STORED',
  'INTERNAL',
] as const
export type WireErrorCode = (typeof wireErrorCodes)[number]

/** An expected refusal of a command, thrown by handlers and turned into the wire form by the transport. */
export const WireError = defineError<WireErrorCode>('WireError')
export type WireError = InstanceType<typeof WireError>
