import Anthropic from '@anthropic-ai/sdk'
import { ModelError, type ModelErrorCode } from '#core/ports/model-client.ts'

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
}

/** The provider has no code for this case, only words. */
const tooLong = /prompt is too long|exceeds? (the )?(model'?s? )?(maximum )?context|context (window|length)/i

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
  if (error instanceof ModelError) return error
  if (error instanceof Anthropic.APIConnectionTimeoutError)
    return new ModelError('cut', 'The provider did not answer in time.')
  if (error instanceof Anthropic.APIConnectionError) return connectionError(error, started, address)
  if (error instanceof Anthropic.APIError) return statusError(error)
  if (error instanceof SyntaxError)
    return new ModelError('malformed', 'The provider sent an event that is not valid JSON.')
  if (error instanceof Anthropic.AnthropicError || started) {
    return new ModelError('cut', `The answer broke off: ${reasonOf(error)}`)
  }
  return unreachable(error, address)
}

function statusError(error: InstanceType<typeof Anthropic.APIError>): ModelError {
  const said = error.apiMessage || saidIn(error.error)
  const code = codeOf(error.status, error.type, said)
  const status = error.status === undefined ? '' : ` (HTTP ${error.status})`
  const message = [advice[code], said].filter(Boolean).join(' ') || 'The provider refused the request.'
  return new ModelError(code, `${message}${status}`, retryAfter(error.headers))
}

/** Finds the message of a server of another maker, wherever in the body it stands. */
function saidIn(body: unknown): string {
  if (typeof body === 'string') return body
  if (Array.isArray(body)) return body.map(saidIn).filter(Boolean).join('; ')
  if (typeof body !== 'object' || body === null) return ''
  const { message, msg, detail, error, loc } = body as Readonly<Record<string, unknown>>
  const said = [message, msg, detail, error].map(saidIn).find(Boolean) ?? ''
  return Array.isArray(loc) ? `${loc.join('.')}: ${said}` : said
}

function codeOf(status: number | undefined, type: string | null, said: string): ModelErrorCode {
  if (type === 'overloaded_error') return 'overloaded'
  const code = (status === undefined ? undefined : byStatus[status]) ?? byType[type ?? ''] ?? 'server'
  if ((code === 'bad_request' || code === 'too_large') && tooLong.test(said)) return 'context_window_exceeded'
  return status !== undefined && status >= 400 && status < 500 && code === 'server' && status !== 408
    ? 'bad_request'
    : code
}

function connectionError(error: Error, started: boolean, address: string): ModelError {
  if (started) return new ModelError('cut', `The connection broke before the answer was complete: ${reasonOf(error)}`)
  return unreachable(error, address)
}

function unreachable(error: unknown, address: string): ModelError {
  const advised = 'Check the network and the base URL in the settings.'
  return new ModelError('unreachable', `${address} could not be reached: ${reasonOf(error)}. ${advised}`)
}

/** The innermost cause says more than "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
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
