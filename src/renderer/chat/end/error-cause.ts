/** What a person can do about a failed request to the model. The first one is the most sensible. */
export type ErrorAction = 'key' | 'continue' | 'compact' | 'model' | 'retry'

/** A kind of failure, with its own sentences. */
export type ErrorKind =
  | 'key'
  | 'credit'
  | 'forbidden'
  | 'model'
  | 'long'
  | 'rate'
  | 'overloaded'
  | 'server'
  | 'network'
  | 'broken'
  | 'request'
  | 'refusal'
  | 'cut'
  | 'other'

const kinds: Readonly<Record<string, ErrorKind>> = {
  no_key: 'key',
  unauthorized: 'key',
  forbidden: 'forbidden',
  not_found: 'model',
  bad_request: 'request',
  too_large: 'long',
  context_window_exceeded: 'long',
  rate_limited: 'rate',
  overloaded: 'overloaded',
  server: 'server',
  unreachable: 'network',
  cut: 'broken',
  malformed: 'broken',
  refusal: 'refusal',
  max_tokens: 'cut',
}

/** The kind of a failure by its cause, or by the reason of the end for older journals. */
export function errorKind(cause: string | null, reason: string, message: string): ErrorKind {
  const kind = kinds[cause ?? reason] ?? 'other'
  const isAboutMoney = (kind === 'forbidden' || kind === 'request') && /credit|billing|balance|quota/i.test(message)
  return isAboutMoney ? 'credit' : kind
}

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
  other: ['continue', 'model'],
}

export function actionsFor(kind: ErrorKind): readonly ErrorAction[] {
  return actions[kind]
}

/** The first web address that a message names; null for none. */
export function addressIn(message: string): string | null {
  return /https:\/\/[^\s<>"'()]+[^\s<>"'().,;:]/.exec(message)?.[0] ?? null
}
