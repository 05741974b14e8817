import { ORPCError } from '@orpc/client'
import { type WireErrorCode, wireErrorCodes } from '#shared/contract/wire-errors.ts'
import { refusalStrings as labels } from '../../strings/common.ts'

/** Why a command was not carried out, ready to be shown: the cause, and what to do next. */
export interface Refusal {
  readonly code: WireErrorCode | 'OFFLINE'
  readonly message: string
  readonly nextStep: string
}

/**
 * The refusal to show for an error that a command threw. An error that does not come from the host means a lost
 * connection.
 */
export function refusalOf(error: unknown): Refusal {
  const code = error instanceof ORPCError ? wireErrorCodes.find((known) => known === error.code) : undefined
  if (code && error instanceof Error) return { code, message: error.message, nextStep: labels.nextStep[code] }
  if (error instanceof ORPCError) {
    return { code: 'INTERNAL', message: error.message || labels.unknown, nextStep: labels.nextStep.INTERNAL }
  }
  return { code: 'OFFLINE', message: labels.connectionLost, nextStep: labels.nextStep.OFFLINE }
}
