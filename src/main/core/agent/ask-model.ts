import { ModelError, type ModelReply, type ModelRequest } from '../ports/model-client.ts'
import type { LoopContext } from './loop-context.ts'
import { retryDelay } from './retry.ts'

export type Reply =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly error: ModelError }

/** How one try of a request is shown while it streams. */
export interface Showing {
  delta(part: 'text' | 'thinking', text: string): void
  /** The stream broke: what was shown of this try is taken back. */
  dropped(): void
}

const hidden: Showing = { delta: () => {}, dropped: () => {} }

/** One complete reply, asked for again while that can help. Visible and cancellable; throws only the abort reason and bugs. */
export async function askModel(
  context: LoopContext,
  request: ModelRequest,
  signal: AbortSignal,
  show: () => Showing = () => hidden,
): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const showing = show()
    try {
      return { ok: true, reply: await receive(context, request, showing, signal) }
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelError)) throw error
      showing.dropped()
      const delayMs = retryDelay(context.retry, error, attempt, context.random())
      if (delayMs === null) return { ok: false, error }
      context.live({ type: 'model.retrying', attempt, delayMs, reason: error.message })
      await context.clock.sleep(delayMs, signal)
    }
  }
}

async function receive(
  context: LoopContext,
  request: ModelRequest,
  showing: Showing,
  signal: AbortSignal,
): Promise<ModelReply> {
  using _place = await context.modelGate.enter((ahead) => context.live({ type: 'model.waiting', ahead }), signal)
  for await (const event of context.model.stream(request, signal)) {
    signal.throwIfAborted()
    if (event.type === 'reply') return event.reply
    showing.delta(event.type, event.text)
  }
  throw new ModelError('cut', 'The model ended its answer before it was complete.')
}
