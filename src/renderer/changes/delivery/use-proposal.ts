import { useEffect, useState } from 'react'
import type { ProposedMessages } from '#shared/contract/views/deliveries.ts'
import { type Command, useCommand } from '../../state/hooks/hooks.tsx'

/** What a person typed in place of planned messages, by the place of the commit from 0. */
export type TypedMessages = ReadonlyMap<number, string>

/** Messages that a model proposes. */
export interface Proposal {
  /** The question to the model. */
  readonly asking: Command
  /** Who proposed what is shown, and what it cost. Null for no proposal. */
  readonly made: Pick<ProposedMessages, 'model' | 'cost'> | null
  /** Puts the proposed messages in the place of those that are shown. */
  propose(): Promise<void>
  /** Ends the question. Null while there is none. */
  readonly stop: (() => void) | null
  /** Brings back the messages of before. */
  undo(): void
  /** Call when the commits become others, and their messages with them. */
  forget(): void
}

export function useProposal(
  ask: (signal: AbortSignal) => Promise<ProposedMessages>,
  [typed, setTyped]: readonly [TypedMessages, (typed: TypedMessages) => void],
): Proposal {
  const asking = useCommand()
  const [made, setMade] = useState<(ProposedMessages & { readonly before: TypedMessages }) | null>(null)
  const [stopping, setStopping] = useState<AbortController | null>(null)
  // Nobody waits for the answer once the dialog is closed.
  useEffect(() => () => stopping?.abort(), [stopping])
  return {
    asking,
    made,
    async propose() {
      const stop = new AbortController()
      setStopping(stop)
      await asking.run(async () => {
        try {
          const proposed = await ask(stop.signal)
          if (stop.signal.aborted) return
          setMade({ ...proposed, before: made?.before ?? typed })
          setTyped(new Map(proposed.messages.entries()))
        } catch (error) {
          if (!stop.signal.aborted) throw error
        }
      })
      setStopping(null)
    },
    stop: stopping && (() => stopping.abort()),
    undo() {
      if (made) setTyped(made.before)
      setMade(null)
    },
    forget() {
      asking.clear()
      setMade(null)
    },
  }
}
