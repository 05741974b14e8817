import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import type { Project } from '#host/project/project.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { createEventLines } from '../../follow/event-lines.ts'

/** A call as the editor was told about it. Each update replaces its whole content. */
export interface ShownCall {
  readonly diffs: readonly ToolCallContent[]
  readonly result: readonly ToolCallContent[]
  /** What it has printed so far. */
  readonly output: string
  /** When that was last sent, in milliseconds since the Unix epoch. */
  readonly sentAt: number
}

/** One session as its editor was told about it so far. */
export interface Scene {
  readonly project: Project
  readonly root: ThreadId
  /** Replies of which a part was sent. */
  readonly streamed: Set<MessageId>
  readonly calls: Map<string, ShownCall>
  /** Texts of messages that this editor sent itself, and that are not a part of the conversation yet. */
  readonly typed: Set<string>
  /** True while a command of the session runs, which says itself what it did. */
  isTold: boolean
  /** What the command line says about an event. */
  readonly say: (event: CoppiceEvent) => Promise<string>
  /** The mode, the model and how it thinks, as they are now. */
  readonly choices: () => readonly SessionUpdate[]
}

export function createScene(project: Project, root: ThreadId, choices: Scene['choices']): Scene {
  const lines = createEventLines({
    state: () => project.services.log.state,
    isVerbose: false,
    hasMarks: true,
    texts: 'before_work',
    namesWaiting: () => false,
  })
  return {
    ...{ project, root, choices, isTold: false },
    ...{ streamed: new Set(), calls: new Map(), typed: new Set() },
    async say(event) {
      const shown = await lines(event)
      return shown
        .map(({ agent, line }) => `${agent ?? 'Coppice'}: ${line.map(({ text }) => text).join('')}`)
        .join('\n')
    },
  }
}

/** The name of an agent if it is a subagent of the session; null for the session's own. */
export function subagentName({ project, root }: Scene, threadId: ThreadId): string | null {
  return threadId === root ? null : (project.family(threadId)[0]?.agent ?? 'agent')
}

/** Changes what the editor knows of a call, and tells it all of its content. */
export function updateCall(
  { calls }: Scene,
  id: string,
  change: Partial<ShownCall>,
  update: Omit<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>, 'sessionUpdate' | 'toolCallId'> = {},
): SessionUpdate {
  const call = { diffs: [], result: [], output: '', sentAt: 0, ...calls.get(id), ...change }
  calls.set(id, call)
  return { sessionUpdate: 'tool_call_update', toolCallId: id, ...update, content: [...call.diffs, ...call.result] }
}
