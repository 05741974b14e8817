import type { JsonObject } from '#shared/base/json.ts'
import { readText, type SentCall } from '../model-http/check-reply.ts'
import { readToolInput, toInputJson } from '../model-http/tool-input.ts'
import { attachedIn, isOddId, joinAttached } from './attached.ts'

/** A piece of a call, as servers send it. Any field may be missing. */
export interface CallPiece {
  readonly index?: unknown
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null
}

interface Call {
  /** Where the server says that the call stands. */
  readonly place: number
  id: string
  name: string
  json: string
  attached: JsonObject | null
}

/**
 * Puts calls together from their pieces: id and name come first, the arguments after. Servers differ. Some send a call
 * at once, some give all calls the same index, and some give none, or no id.
 */
export function createCallCollector() {
  const calls: Call[] = []
  const open = new Map<unknown, Call>()
  return {
    add(piece: CallPiece) {
      const [id, name] = [readText(piece.id), readText(piece.function?.name)]
      const index = piece.index ?? undefined
      const before =
        index === undefined ? (calls.find((call) => id !== '' && call.id === id) ?? calls.at(-1)) : open.get(index)
      const isSame = before !== undefined && !beginsAnother(before, { id, name, hasIndex: index !== undefined })
      const call = isSame
        ? before
        : { place: typeof index === 'number' ? index : calls.length, id, name, json: '', attached: null }
      if (!isSame) calls.push(call)
      open.set(index, call)
      if (call.id === '') call.id = id
      if (call.name === '') call.name = name
      call.json += toInputJson(piece.function?.arguments)
      const inner = attachedIn(piece.function)
      call.attached = joinAttached(joinAttached(call.attached, attachedIn(piece)), inner && { function: inner })
    },
    /** In the order of the server. */
    calls: (): readonly SentCall[] =>
      calls
        .toSorted((a, b) => a.place - b.place)
        .map(({ place: _, ...call }, at, all) => {
          const isOnly = all.findIndex(({ id }) => id === call.id) === at
          const attached = isOddId(call.id) && isOnly ? { ...call.attached, id: call.id } : call.attached
          return { type: 'tool_call', ...call, attached }
        }),
  }
}

/** Whether a piece that could belong to the call is the first one of the next. */
function beginsAnother(
  call: Call,
  { id, name, hasIndex }: { readonly id: string; readonly name: string; readonly hasIndex: boolean },
): boolean {
  if (id !== '' && id === call.id) return false
  if (id !== '' && (call.id !== '' || !hasIndex)) return true
  if (name === '' || call.name === '') return false
  // A server may repeat the name with every piece of the arguments.
  const isUnfinished = call.json.trim() === '' ? hasIndex : readToolInput(call.json) === undefined
  return name !== call.name || !isUnfinished
}
