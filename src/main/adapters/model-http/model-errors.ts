import { isCertificateProblem, isRefusedByProxy, reasonOf } from '#adapters/system/outgoing/outgoing.ts'
import { ModelError, type ModelErrorCode } from '#core/ports/model-client.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { shownAddress } from './shown-address.ts'
import { readTooLong } from './too-long.ts'

/**
 * Both makers' SDKs throw errors of one shape, and a package of a cloud may bring a copy of its own. So errors are told
 * by their shape and not by their class.
 */
interface ApiError extends Error {
  /** Undefined when no answer came, and for an error inside a stream. */
  readonly status: number | undefined
  readonly headers: Headers | undefined
  /** The body, or the part of it that one maker calls `error`. */
  readonly error: unknown
  readonly type?: string | null
  readonly code?: string | null
}

/**
 * The HTTP status decides first, whatever the body says. Errors inside a stream have no status, so their type decides.
 */
const byStatus: Readonly<Record<number, ModelErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'forbidden',
  403: 'forbidden',
  404: 'not_found',
  408: 'server',
  413: 'too_large',
  422: 'bad_request',
  429: 'rate_limited',
  529: 'overloaded',
}
const byType: Readonly<Record<string, ModelErrorCode>> = {
  invalid_request_error: 'bad_request',
  authentication_error: 'unauthorized',
  billing_error: 'forbidden',
  permission_error: 'forbidden',
  not_found_error: 'not_found',
  request_too_large: 'too_large',
  rate_limit_error: 'rate_limited',
  overloaded_error: 'overloaded',
  api_error: 'server',
  timeout_error: 'server',
  context_length_exceeded: 'context_window_exceeded',
  insufficient_quota: 'forbidden',
  invalid_api_key: 'unauthorized',
  model_not_found: 'not_found',
  rate_limit_exceeded: 'rate_limited',
  server_error: 'server',
}

const advice: Partial<Record<ModelErrorCode, string>> = {
  unauthorized: 'The provider refused the key. Check it in the settings.',
  forbidden: 'The provider does not allow this request with this key.',
  not_found: 'The provider does not know this model or address. Check model and base URL in the settings.',
  rate_limited: 'The provider limits the rate of requests.',
  overloaded: 'The provider is overloaded.',
  server: 'The provider failed.',
  context_window_exceeded: 'The conversation is longer than the model can read.',
  too_large: 'The request is larger than the provider takes.',
}

/** `started`: part of the answer had arrived, so a broken connection means it was cut. `address`: the server asked. */
export function toModelError(error: unknown, started: boolean, address: string): unknown {
  const own = findModelError(error)
  if (own) return own
  if (error instanceof SyntaxError)
    return new ModelError('malformed', 'The provider sent an event that is not valid JSON.')
  if (!isApiError(error)) return started ? cut(error) : unreachable(error, address)
  if (error.status === undefined && error.headers === undefined && error.error === undefined)
    return error.message.includes('timed out')
      ? new ModelError('cut', 'The provider did not answer in time.')
      : connectionError(error, started, address)
  return statusError(error)
}

/** An SDK wraps what its `fetch` throws. */
function findModelError(error: unknown): ModelError | undefined {
  if (error instanceof ModelError) return error
  return error instanceof Error && error.cause !== undefined ? findModelError(error.cause) : undefined
}

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'status' in error && 'headers' in error
}

function cut(error: unknown): ModelError {
  return new ModelError('cut', `The answer broke off: ${reasonOf(error)}`)
}

function statusError(error: ApiError): ModelError {
  const said = saidIn(error.error) || saidIn(error.message.replace(/^\d+ |status code \(no body\)$/g, ''))
  const code = codeOf(error, said)
  const status = error.status === undefined ? '' : ` (HTTP ${error.status})`
  const message = [advice[code], said].filter(Boolean).join(' ') || 'The provider refused the request.'
  return new ModelError(code, `${message}${status}`, retryAfter(error.headers), said)
}

/** The error that a server sent as a whole document with the status of a success; null for another document. */
export function errorInDocument(text: string): ModelError | null {
  const body = readJson(text)
  if (typeof body !== 'object' || body === null) return null
  const { error } = body as Readonly<Record<string, unknown>>
  const said = error ? saidIn(error) : ''
  if (said === '') return null
  const { code: name } = typeof error === 'object' ? (error as { readonly code?: unknown }) : {}
  const named = codeOfType(typeIn(body)) ?? codeOfType(String(name)) ?? byStatus[Number(name)] ?? 'bad_request'
  const code = named === 'bad_request' && isInputTooLong(said) ? 'context_window_exceeded' : named
  return new ModelError(code, [advice[code], said].filter(Boolean).join(' '), null, said)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Finds the message of a server of another maker, wherever in the body it stands. */
function saidIn(body: unknown): string {
  if (typeof body === 'string') return withoutPage(body)
  if (Array.isArray(body)) return body.map(saidIn).filter(Boolean).join('; ')
  if (typeof body !== 'object' || body === null) return ''
  const { message, msg, detail, error, loc } = body as Readonly<Record<string, unknown>>
  const said = [message, msg, detail, error].map(saidIn).find(Boolean) ?? ''
  return Array.isArray(loc) ? `${loc.join('.')}: ${said}` : said
}

/** A proxy answers with a page, of which only the title says something. */
function withoutPage(text: string): string {
  if (!/^\s*<(!doctype|html|head|body)/i.test(text)) return cutAtWord(text, mostSaid)
  const title = cutAtWord(/<title>([^<]{1,5000})/i.exec(text)?.[1]?.trim() ?? '', 200)
  return title ? `It answered with a web page: ${title}.` : 'It answered with a web page.'
}

/**
 * The beginning of a text. It ends before a word that the cut would part: a server may repeat the key, which is found and
 * hidden later only as a whole.
 */
function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text
  const kept = beginningOf(text, most)
  return /[\s"'<>,;]/.test(text.charAt(most)) ? kept : kept.replace(/[^\s"'<>,;]+$/, '')
}

/** Characters of a server's words that are kept. */
const mostSaid = 2_000

function codeOf({ status, type, code: name, error }: ApiError, said: string): ModelErrorCode {
  const named = [type, name, typeIn(error)].map((one) => codeOfType(one)).find((one) => one !== undefined)
  if (named === 'overloaded' || named === 'context_window_exceeded') return named
  // A spent account is answered with 429 by one maker. Waiting does not help there.
  if (name === 'insufficient_quota') return 'forbidden'
  // Gateways report an error of the model behind them inside the stream, with its status as the code.
  const code = byStatus[status ?? Number(name)] ?? named ?? 'server'
  if ((code === 'bad_request' || code === 'too_large') && isInputTooLong(said)) return 'context_window_exceeded'
  return status !== undefined && status >= 400 && status < 500 && code === 'server' && status !== 408
    ? 'bad_request'
    : code
}

/** Makers have no common code for this case, only words. */
function isInputTooLong(said: string): boolean {
  const long = readTooLong(said)
  return long !== null && long.what !== 'output'
}

function codeOfType(type: string | null | undefined): ModelErrorCode | undefined {
  return type && Object.hasOwn(byType, type) ? byType[type] : undefined
}

/** The type that stands inside the body, as in `{ error: { type } }`. */
function typeIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { error, type } = body as Readonly<Record<string, unknown>>
  return typeIn(error) ?? (typeof type === 'string' && type !== 'error' ? type : undefined)
}

function connectionError(error: Error, started: boolean, address: string): ModelError {
  if (started) return new ModelError('cut', `The connection broke before the answer was complete: ${reasonOf(error)}`)
  return unreachable(error, address)
}

function unreachable(error: unknown, address: string): ModelError {
  // Another try would be refused as well.
  if (isRefusedByProxy(error) || isCertificateProblem(error))
    return new ModelError('forbidden', `${shownAddress(address)} could not be reached: ${reasonOf(error)}.`)
  const advised = 'Check the network and the base URL in the settings.'
  return new ModelError('unreachable', `${shownAddress(address)} could not be reached: ${reasonOf(error)}. ${advised}`)
}

/** Reads a header in seconds or as a date. Returns milliseconds from now, or null. */
function retryAfter(headers: Headers | undefined): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const value = headers?.get('retry-after')
  if (!value) return null
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(date - Date.now(), 0)
}
