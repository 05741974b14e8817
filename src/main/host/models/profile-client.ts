import { type ModelClient, ModelError, type ModelRequest, type ModelStreamEvent } from '#core/ports/model-client.ts'
import { createThoughtCarrier } from './carry-thoughts.ts'
import type { ProfileSecret } from './profile-secret.ts'
import type { Profile } from './profiles.ts'

interface ProfileClientOptions {
  readonly profile: Profile
  readonly secret: ProfileSecret
  /** Opens the adapter that speaks to the profile's server, once, when it is first needed. */
  readonly open: () => Promise<ModelClient>
  /** The server's name of a model that a request names. */
  readonly idOf: (model: string) => string
}

/** The client of a profile: it names models as their server does, and renews a secret that the server refused. */
export function createProfileClient({ profile, secret, open, idOf }: ProfileClientOptions): ModelClient {
  let opening: Promise<ModelClient> | undefined
  const opened = () => {
    opening ??= open()
    // A package that is missing may be installed while the app runs.
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  const carry = createThoughtCarrier(profile.thoughts)
  const hide = (error: unknown, signal: AbortSignal) => withoutSecret(error, secret, signal)
  return {
    async *stream(request, signal) {
      signal.throwIfAborted()
      const client = await opened()
      const sent: ModelRequest = {
        ...request,
        model: idOf(request.model),
        messages: carry(request.messages, request.model),
      }
      yield* renewing(client, sent, secret, signal, hide)
    },
    async models(signal) {
      try {
        return await (await opened()).models(signal)
      } catch (error) {
        throw await hide(error, signal)
      }
    },
  }
}

/** Asks once more with a new secret when the server refused the first one before it answered. */
async function* renewing(
  client: ModelClient,
  request: ModelRequest,
  secret: ProfileSecret,
  signal: AbortSignal,
  hide: (error: unknown, signal: AbortSignal) => Promise<unknown>,
): AsyncGenerator<ModelStreamEvent> {
  try {
    return yield* client.stream(request, signal)
  } catch (error) {
    const isRefused = error instanceof ModelError && error.code === 'unauthorized'
    if (!isRefused || !secret.renew()) throw await hide(error, signal)
  }
  try {
    yield* client.stream(request, signal)
  } catch (error) {
    throw await hide(error, signal)
  }
}

/** Some servers repeat the key in their refusal. Errors are stored and shown, so it is taken out of them. */
async function withoutSecret(error: unknown, secret: ProfileSecret, signal: AbortSignal): Promise<unknown> {
  if (!(error instanceof ModelError) || error.code === 'no_key') return error
  const known = await secret.read(signal).catch(() => null)
  if (known === null || known.length < shortestSecret || !error.message.includes(known)) return error
  const hide = (text: string) => text.replaceAll(known, '[the key]')
  return new ModelError(error.code, hide(error.message), error.retryAfterMs, hide(error.said))
}

/** A shorter one may be a word of the message. */
const shortestSecret = 6
