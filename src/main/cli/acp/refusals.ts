import { RequestError } from '@agentclientprotocol/sdk'
import { WireError } from '#shared/contract/wire-errors.ts'
import { UsageError } from '../arguments.ts'

/** Passes on what goes wrong in words of the protocol. */
export async function refusing<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    throw asRequestError(error)
  }
}

/** An error as an editor shows it: what is wrong and what to do next. */
function asRequestError(error: unknown): unknown {
  if (error instanceof RequestError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof UsageError) return RequestError.invalidParams({ code: 'USAGE' }, message)
  if (!(error instanceof WireError)) return RequestError.internalError(undefined, message)
  const data = { code: error.code }
  switch (error.code) {
    case 'NO_KEY':
      return RequestError.authRequired(data, message)
    case 'BAD_REQUEST':
    case 'NOT_A_FOLDER':
    case 'UNREADABLE':
    case 'NOT_FOUND':
      return RequestError.invalidParams(data, message)
    default:
      return RequestError.internalError(data, message)
  }
}
