import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Choices } from './choices.ts'

export type Meta = Readonly<Record<string, unknown>> | null | undefined

/** In the `_meta` of what processes of the app say to each other: of which session, and how an editor is greeted. */
const [movedKey, greetingKey] = ['coppice/session', 'coppice/greeting'] as const

/** What a process says of a session that it has another one carry out. */
export interface MovedSession {
  readonly id: string
  readonly choices: Choices | null
}

export function movedMeta(id: string, choices: Choices | null): Record<string, unknown> {
  return { [movedKey]: { id, choices } satisfies MovedSession }
}

/** Null for a request of an editor. */
export function movedIn(meta: Meta): MovedSession | null {
  return (meta?.[movedKey] as MovedSession | undefined) ?? null
}

export function greetingMeta(greeting: readonly SessionUpdate[]): Record<string, unknown> {
  return { [greetingKey]: greeting }
}

export function greetingIn(meta: Meta): readonly SessionUpdate[] {
  return (meta?.[greetingKey] as readonly SessionUpdate[] | undefined) ?? []
}
