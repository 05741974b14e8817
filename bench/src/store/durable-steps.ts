import { join } from 'node:path'
import { nodeHashing } from '../../../packages/overlay/src/node.ts'
import { systemClock } from '../../../src/main/adapters/clock/system-clock.ts'
import { openProjectDatabase } from '../../../src/main/adapters/sqlite/project-database.ts'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import { openProjectLog, type ProjectLog } from '../../../src/main/core/journal/project-log.ts'
import type { BlobStore } from '../../../src/main/core/ports/blob-store.ts'
import type { NonEmpty } from '../../../src/shared/base/non-empty.ts'
import type { EntryDraft } from '../../../src/shared/model/entry.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from '../../../src/shared/model/ids.ts'
import type { OverlayEntry } from '../../../src/shared/model/tree-node.ts'
import type { VirtualPath } from '../../../src/shared/model/virtual-path.ts'
import { textOf } from '../support/project-text.ts'
import { proseOf } from './prose.ts'

const threadId = 'thread' as ThreadId
const branchId = 'branch' as BranchId

export interface StepThread extends Disposable {
  readonly log: ProjectLog
  /** Commits one step: a reply, three changed files and the todo list. Returns its milliseconds. */
  step(): number
}

/** Opens a thread in its own database, without a loop around it. */
export function openStepThread(folder: string): StepThread {
  const file = join(folder, 'project.db')
  const database = openProjectDatabase({ file, clock: systemClock, hashing: nodeHashing })
  const log = openProjectLog(database.journal, () => {})
  appendTo(log, opening)
  let step = 0
  return {
    log,
    step() {
      step += 1
      const texts = Array.from({ length: 3 }, (_, at) => textOf(step * 3 + at, 2_048))
      const said = proseOf(step, 1_024)
      const started = performance.now()
      appendTo(log, stepOf(step, said, texts, database.blobs))
      return performance.now() - started
    },
    [Symbol.dispose]: () => database[Symbol.dispose](),
  }
}

/** The bytes of a step's text and files, which any program would have to write to disk for it. */
export const stepBytes = 1_024 + 3 * 2_048 + 512

const opening: NonEmpty<EntryDraft> = [
  {
    type: 'thread.created',
    threadId,
    agent: 'main',
    agentType: 'main',
    title: 'Steps',
    branchId,
    parent: null,
    depth: 0,
    model: 'scripted',
    approvalMode: 'auto',
    contextScope: 'strict',
  },
  {
    type: 'branch.forked',
    threadId,
    branchId,
    parentId: null,
    ownerThreadId: threadId,
    handle: null,
    name: 'Workspace',
  },
]

function stepOf(step: number, said: string, texts: readonly string[], blobs: BlobStore): NonEmpty<EntryDraft> {
  const callId = `call-${step}` as ToolCallId
  const files = texts.map((text, at) => fileOf(step * 3 + at, text, blobs))
  return [
    {
      type: 'message',
      threadId,
      message: {
        role: 'assistant',
        messageId: `message-${step}` as MessageId,
        stopReason: 'tool_use',
        content: [
          { type: 'text', text: said },
          { type: 'tool_call', callId, name: 'run_js_code', input: { code: 'await change()' } },
        ],
      },
    },
    { type: 'tree.changed', threadId, branchId, callId, patch: files },
    {
      type: 'todos.written',
      threadId,
      by: 'agent',
      todos: Array.from({ length: 6 }, (_, at) => ({ content: `Part ${at} of the work`, status: 'in_progress' })),
    },
    {
      type: 'tool.finished',
      threadId,
      callId,
      name: 'run_js_code',
      result: { outcome: 'ok', content: [{ type: 'text', text: 'Changed.' }] },
      durationMs: 1,
      reads: [],
    },
    { type: 'checkpoint', threadId, step, treeHash: nodeHashing.hash(Buffer.from(callId)) },
  ]
}

function fileOf(file: number, text: string, blobs: BlobStore): [VirtualPath, [null, OverlayEntry]] {
  const bytes = Buffer.from(text)
  const node = { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable: false } as const
  return [`/area/module-${file}.ts` as VirtualPath, [null, { node, pin: null }]]
}
