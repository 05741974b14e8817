import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import type { Project } from '../../../src/main/host/project/project.ts'
import { isNonEmpty } from '../../../src/shared/base/non-empty.ts'
import type { EntryDraft } from '../../../src/shared/model/entry.ts'
import type { MessageId, ThreadId } from '../../../src/shared/model/ids.ts'
import { makeProject } from '../start/command-line.ts'
import { proseOf } from '../store/prose.ts'
import { temporaryFolder } from '../support/folders.ts'
import { openLocalHost } from '../support/local-host.ts'

export interface MadeProject extends Disposable {
  readonly folder: string
  readonly dataFolder: string
}

const atOnce = 2_000
const proseBytes = 300

/** So much that nothing of a long thread is summarised. */
const summarisation = { tokens: 100_000_000, share: 1 }

/** Makes a project on disk whose journal `fill` writes. The project is closed afterwards. */
export async function makeJournal(fill: (project: Project) => void | Promise<void>): Promise<MadeProject> {
  const { path } = temporaryFolder()
  const folder = makeProject(path)
  const dataFolder = join(path, 'data')
  const host = await openLocalHost(dataFolder)
  await fill(await host.projects.open(folder))
  await host[Symbol.asyncDispose]()
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ summarisation }))
  return { folder, dataFolder, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Adds a thread in which a person and an agent spoke in turns. Every reply ended a run. */
export function addThread({ runtime, services }: Project, title: string, messages: number): ThreadId {
  const threadId = runtime.createThread({ title, model: 'scripted-1', approvalMode: 'auto' })
  for (let from = 0; from < messages; from += atOnce) {
    const count = Math.min(atOnce, messages - from)
    const drafts = Array.from({ length: count }, (_, at) => turnOf(threadId, title, from + at)).flat()
    if (isNonEmpty(drafts)) appendTo(services.log, drafts)
  }
  return threadId
}

/** The last words of a thread. Their presence shows that the window has rendered the thread's end. */
export function lastWords(title: string, messages: number): string {
  return `${title} message ${messages - 1}`
}

function turnOf(threadId: ThreadId, title: string, number: number): readonly EntryDraft[] {
  const messageId = `${title}-${number}` as MessageId
  const text = `${title} message ${number} ${proseOf(number, proseBytes)}`
  if (number % 2 === 0) {
    const message = { role: 'user', messageId, origin: 'person', content: [{ type: 'text', text }] } as const
    return [
      { type: 'message', threadId, message },
      { type: 'run.started', threadId },
    ]
  }
  const markdown = `${text}\n\n- **first** of \`${number}\`\n- second\n\n\`\`\`ts\nconst a = ${number}\n\`\`\`\n`
  const content = [{ type: 'text', text: markdown }] as const
  return [
    { type: 'message', threadId, message: { role: 'assistant', messageId, content, stopReason: 'end_turn' } },
    { type: 'run.ended', threadId, status: 'done', reason: 'completed', message: '' },
  ]
}
