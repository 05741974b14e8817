import type { ToolCall, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { type ExternalCall, externalKinds } from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'

/** Puts together what an agent tells of each call, piece by piece. */
export interface KnownCalls {
  /** What is known of the call after this piece. An update of a call that was never begun begins it. */
  take(piece: ToolCall | ToolCallUpdate): ExternalCall
  all(): readonly ExternalCall[]
}

export function createKnownCalls(): KnownCalls {
  const known = new Map<string, ExternalCall>()
  return {
    all: () => [...known.values()],
    take(piece) {
      const before = known.get(piece.toolCallId) ?? unknownCall(piece.toolCallId)
      const { title, kind, status, locations, content, rawInput, rawOutput } = piece
      const paths = [...(locations ?? []).map(({ path }) => path), ...(content ?? []).flatMap(pathOf)]
      const output = content ? textOf(content) : rawOutput === undefined ? '' : asText(rawOutput)
      const now: ExternalCall = {
        id: piece.toolCallId,
        title: title || before.title,
        kind: externalKinds.find((one) => one === kind) ?? before.kind,
        status: isEnded(before) ? before.status : (status ?? before.status),
        paths: paths.length > 0 ? [...new Set([...before.paths, ...paths])] : before.paths,
        input: isJsonObject(rawInput) && Object.keys(rawInput).length > 0 ? rawInput : before.input,
        output: output === '' ? before.output : output,
      }
      known.set(now.id, now)
      return now
    },
  }
}

function unknownCall(id: string): ExternalCall {
  return { id, title: '', kind: 'other', status: 'pending', paths: [], input: {}, output: '' }
}

export function isEnded({ status }: Pick<ExternalCall, 'status'>): boolean {
  return status === 'completed' || status === 'failed'
}

function pathOf(part: ToolCallContent): readonly string[] {
  return part.type === 'diff' ? [part.path] : []
}

/** A difference is not shown: what the call really changed is read from the files. */
function textOf(content: readonly ToolCallContent[]): string {
  const texts = content.flatMap((part) =>
    part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [],
  )
  return texts.join('\n')
}

function asText(output: unknown): string {
  if (typeof output === 'string') return output
  const { output: said, stdout, content } = (isJsonObject(output) ? output : {}) as JsonObject
  const text = [said, stdout, content].find((one) => typeof one === 'string')
  return typeof text === 'string' ? text : JSON.stringify(output)
}
