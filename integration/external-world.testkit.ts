import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { call } from '@orpc/server'
import { onTestFinished } from 'vitest'
import { commitAlways, type ProjectLog } from '#core/journal/project-log.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { createOverlayTransaction, emptyTree } from '#overlay'
import { resultOf } from '#shared/model/calls/call.ts'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Scenario } from '../e2e/model-server/scenario.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { rewindTo } from '../src/main/host/testing/person.testkit.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { scriptedAgent, told } from './external-agent.testkit.ts'
import { openWorld } from './world.testkit.ts'

export const definitionOf = (more: object) => ({
  ...{ name: 'scripted', description: 'Does what it is told.', acp: 'node agent.mjs' },
  ...more,
})

/** A project in which the scripted agent works, and what a test asks of it. */
export async function openExternalWorld(
  settings: object = {},
  definition: object = {},
  scenario: Scenario = () => ({ text: '' }),
  home?: string,
) {
  const scripted = definitionOf(definition)
  const world = await openWorld(scenario, {
    files: { 'agent.mjs': scriptedAgent, 'a.txt': 'one\n', 'b.txt': 'two\n' },
    settings: { subagents: [scripted], ...settings },
    openSandbox: () => openSandbox([], home === undefined ? {} : { home }),
  })
  let project = world.project
  const thread = (id: ThreadId) => {
    const state = readThread(project.services.log, id)
    if (!state) throw new Error(`no thread ${id}`)
    return state
  }
  const send = async (id: ThreadId, text: string) => {
    project.runtime.send(id, [{ type: 'text', text }], 'queue')
    await project.runtime.whenIdle(id)
  }
  return {
    ...world,
    thread,
    async ask(steps: readonly object[] | string, approvalMode: ApprovalMode = 'auto'): Promise<ThreadId> {
      const content = [{ type: 'text', text: told(steps) }] as const
      const options = { title: 'job', model: 'scripted', approvalMode, agentType: 'scripted' }
      const id = project.runtime.begin(options, () => content)
      await project.runtime.whenIdle(id)
      return id
    },
    /** The same in a thread that names the agent where it names its model, as threads of people do. */
    async begin(steps: readonly object[]): Promise<ThreadId> {
      const options = { title: 'job', model: 'agent/scripted', approvalMode: 'auto' } as const
      const id = project.runtime.begin(options, () => [{ type: 'text', text: told(steps) }])
      await project.runtime.whenIdle(id)
      return id
    },
    say: (id: ThreadId, steps: readonly object[] | string) => send(id, told(steps)),
    /** Takes files and conversation back to before the person's last message. */
    async takeBack(threadId: ThreadId): Promise<void> {
      const past = project.services.log.state.past.threads.get(threadId)
      const rows = past ? checkpointRows(past) : []
      const to = rows.findLast(({ mark }) => mark.kind === 'message')?.to ?? 0
      await rewindTo(project, { threadId, to, files: true, conversation: true })
    },
    idle: (id: ThreadId) => project.runtime.whenIdle(id),
    stop: (id: ThreadId) => project.runtime.stop(id),
    state: () => project.services.log.state,
    threads: () => [...project.services.log.state.threads.values()].filter(({ parent }) => parent === null),
    async resume(id: ThreadId): Promise<void> {
      project.runtime.resume(id)
      await project.runtime.whenIdle(id)
    },
    /** Opens the project again, as after a restart of the app. */
    async reopen(): Promise<void> {
      await world.host[Symbol.asyncDispose]()
      const host = await openTestHost(world.data, undefined, {}, () => openSandbox([]))
      onTestFinished(() => host[Symbol.asyncDispose]())
      project = await host.projects.open(world.folder)
    },
    /** Has another process do the steps, kills it then, and opens the project again. */
    async killIn(steps: readonly object[], mode: ApprovalMode = 'auto'): Promise<ThreadId> {
      await world.host[Symbol.asyncDispose]()
      const script = join(String(process.env.COPPICE_TEST_CHILDREN), 'external-process.mjs')
      const task = told([...steps, { say: 'Now.' }, { hang: true }])
      const child = spawn(process.execPath, ['--no-node-snapshot', script, world.data, world.folder, task, mode])
      let id = '' as ThreadId
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith('begun')) id = line.split(' ')[1] as ThreadId
        if (line === 'said Now.') child.kill('SIGKILL')
      }
      await this.reopen()
      return id
    },
    endsOf: (id: ThreadId) =>
      project.services.log
        .entries(['run.ended'])
        .flatMap((entry) => (entry.type === 'run.ended' && entry.threadId === id ? [entry] : [])),
    allowHosts: (hosts: readonly string[]) =>
      call(world.host.router.extensions.allowHosts, { name: 'scripted', hosts: [...hosts] }),
    /** What the ends of sessions tell of what was not kept. */
    endNotes: () =>
      project.services.log
        .entries(['session.ended'])
        .flatMap((entry) => (entry.type === 'session.ended' ? entry.note : [])),
    async fileOf(id: ThreadId, path: string): Promise<string> {
      const { services } = project
      const tree = services.log.trees.heads.get(thread(id).branchId) ?? emptyTree
      const draft = createOverlayTransaction({ ...services, tree })
      if ((await draft.stat(path as VirtualPath)) === undefined) return ''
      return new TextDecoder().decode(await draft.read(path as VirtualPath))
    },
    /** Another one changes a file of the thread's branch. Null deletes it. */
    async write(id: ThreadId, path: string, text: string | null): Promise<void> {
      const { log } = project.services
      const { branchId } = thread(id)
      const tree = log.trees.heads.get(branchId) ?? emptyTree
      const draft = createOverlayTransaction({ ...project.services, tree })
      if (text === null) await draft.delete(path as VirtualPath)
      else await draft.write(path as VirtualPath, new TextEncoder().encode(text))
      commitAlways(log as unknown as ProjectLog, [
        { type: 'tree.changed', threadId: id, branchId, patch: draft.patch(), callId: null },
      ])
    },
    callsOf: (id: ThreadId) =>
      [...thread(id).calls.values()].map((call) => ({
        name: call.name,
        title: call.input.title,
        outcome: resultOf(call)?.outcome,
        text: textOf(resultOf(call)?.content ?? []),
        changed: call.changedPaths,
      })),
    said: (id: ThreadId) =>
      thread(id)
        .messages.flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []))
        .filter((text) => text !== ''),
  }
}
