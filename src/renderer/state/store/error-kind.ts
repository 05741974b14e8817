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
  | 'login'
  | 'hosts'
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
  login: 'login',
  hosts_refused: 'hosts',
}

/** The kind of a failure by its cause, or by the reason of the end for older journals. */
export function errorKind(cause: string | null, reason: string, message: string): ErrorKind {
  const kind = kinds[cause ?? reason] ?? 'other'
  const isAboutMoney = (kind === 'forbidden' || kind === 'request') && /credit|billing|balance|quota/i.test(message)
  return isAboutMoney ? 'credit' : kind
}
