import type { ModelClient, ModelStreamEvent } from '#core/ports/model-client.ts'
import { createThoughtCarrier } from './carry-thoughts.ts'
import type { Profile } from './profiles.ts'

interface ProfileClientOptions {
  readonly profile: Profile
  /** Opens the adapter that speaks to the profile's server, once, when it is first needed. */
  readonly open: () => Promise<ModelClient>
  /** The server's name of a model that a request names. */
  readonly idOf: (model: string) => string
  /** Whether the server refuses replies without their thoughts, by its own name of the model. */
  readonly demandsThoughts: (id: string) => boolean
}

/** The client of a profile: it names models as their server does, and keeps thoughts to the model that had them. */
export function createProfileClient({ profile, open, idOf, demandsThoughts }: ProfileClientOptions): ModelClient {
  let opening: Promise<ModelClient> | undefined
  const opened = () => {
    opening ??= open()
    return opening
  }
  const carryUsual = createThoughtCarrier(profile.thoughts)
  const carryAll = createThoughtCarrier('all')
  return {
    stream: (request, signal) =>
      whenOpened(async () => {
        signal.throwIfAborted()
        const model = idOf(request.model)
        const carry = demandsThoughts(model) ? carryAll : carryUsual
        return (await opened()).stream({ ...request, model, messages: carry(request.messages, request.model) }, signal)
      }),
    models: async (signal) => (await opened()).models(signal),
  }
}

/** The events of a stream that is opened when the first one is asked for. It adds nothing to each event. */
function whenOpened(open: () => Promise<AsyncIterable<ModelStreamEvent>>): AsyncIterable<ModelStreamEvent> {
  return {
    [Symbol.asyncIterator]() {
      let inner: AsyncIterator<ModelStreamEvent> | undefined
      return {
        next: () => inner?.next() ?? first(),
        return: async (value) => inner?.return?.(value) ?? { done: true, value },
      }

      async function first(): Promise<IteratorResult<ModelStreamEvent>> {
        inner = (await open())[Symbol.asyncIterator]()
        return inner.next()
      }
    },
  }
}
