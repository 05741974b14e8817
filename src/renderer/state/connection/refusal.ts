import { ORPCError } from '@orpc/client'
import { type WireErrorCode, wireErrorCodes } from '#shared/contract/wire-errors.ts'

/** Why a command was not carried out, ready to be shown: the cause and what to do next. */
export interface Refusal {
  readonly code: WireErrorCode | 'OFFLINE'
  readonly message: string
  readonly nextStep: string
}

const nextSteps: Record<Refusal['code'], string> = {
  BAD_REQUEST: 'Check what you entered and try again.',
  NOT_FOUND: 'It may have been removed. Go back and choose again.',
  NOT_A_FOLDER: 'Choose its folder, or another one.',
  UNREADABLE: 'Check its permissions, or choose another folder.',
  PROJECT_LOCKED: 'Close the other window or run that holds it, then try again.',
  ALREADY_DECIDED: 'Nothing more to do here.',
  CONFLICT: 'Review the conflicting files, then try again.',
  NO_KEY: 'Enter a key, or try the demo.',
  REFUSED: 'Change what it names and try again.',
  CANCELLED: 'Start it again whenever you like.',
  NOT_STORED: 'Make room on the disk of the data folder, then try again. Nothing that was stored is lost.',
  INTERNAL: 'Try again. If it happens again, run "coppice doctor".',
  OFFLINE: 'Try again once the status bar says Connected.',
}

export function refusalOf(error: unknown): Refusal {
  const code = error instanceof ORPCError ? wireErrorCodes.find((known) => known === error.code) : undefined
  if (code && error instanceof Error) return { code, message: error.message, nextStep: nextSteps[code] }
  if (error instanceof ORPCError) {
    return { code: 'INTERNAL', message: error.message || 'Something went wrong.', nextStep: nextSteps.INTERNAL }
  }
  return { code: 'OFFLINE', message: 'The connection to Coppice was lost.', nextStep: nextSteps.OFFLINE }
}
