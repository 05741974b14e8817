import type { ErrorKind } from '../../state/store/error-kind.ts'

/** What a person can do about a failed request to the model. The first one is the most sensible. */
export type ErrorAction = 'key' | 'continue' | 'compact' | 'model' | 'retry' | 'agents'

const actions: Readonly<Record<ErrorKind, readonly ErrorAction[]>> = {
  key: ['key', 'continue'],
  credit: ['continue', 'key'],
  forbidden: ['key', 'model', 'continue'],
  model: ['model', 'key'],
  long: ['compact', 'model'],
  rate: ['retry', 'model'],
  overloaded: ['retry', 'model'],
  server: ['retry', 'model'],
  network: ['retry', 'key'],
  broken: ['retry', 'model'],
  request: ['model', 'continue'],
  refusal: ['model', 'continue'],
  cut: ['continue'],
  login: ['agents', 'continue'],
  hosts: ['continue'],
  other: ['continue', 'model'],
}

export function actionsFor(kind: ErrorKind): readonly ErrorAction[] {
  return actions[kind]
}

/** The first web address that a message names; null for none. */
export function addressIn(message: string): string | null {
  return /https:\/\/[^\s<>"'()]+[^\s<>"'().,;:]/.exec(message)?.[0] ?? null
}
