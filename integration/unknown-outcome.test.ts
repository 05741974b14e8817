import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { lastResults, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { decideAutomatically, resumeTask } from '../src/main/host/headless/run-task.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** A command that was running when the app stopped. A person says how it ended. */
const slow = 'echo begun; [ -f fast.txt ] || sleep 60; echo ran >> ran.txt'
const callId = 'cmd' as ToolCallId
const runs: Scenario = (request) =>
  turnOf(request) === 0
    ? { calls: [{ name: 'execute', id: callId, input: { command: slow } }] }
    : { text: [...lastResults(request).values()].join() }

async function cutInTheMiddle(scenario: Scenario = runs, approval: readonly Decision[] = []) {
  const server = await startModelServer(scenario)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const [folder, data] = [temporary(), temporary()]
  const open = async () => {
    const host = await openTestHost(data, undefined, { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url })
    onTestFinished(() => host[Symbol.asyncDispose]())
    return { host, project: await host.projects.open(folder) }
  }
  const { host, project } = await open()
  const id = project.runtime.begin({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' }, () => [
    { type: 'text', text: 'main' },
  ])
  await project.runtime.whenIdle(id)
  const begun = new Promise<void>((resolve) => {
    project.events.listen((event) => {
      if (event.type === 'tool.output' && event.text.includes('begun')) resolve()
    })
  })
  const asking = waiting(project)
  project.runtime.decide(asking.id, asking.interruptId, approval.length > 0 ? approval : [{ callId, type: 'approve' }])
  await begun
  await host[Symbol.asyncDispose]()
  return { id, folder, open, ...(await open()) }
}

const temporary = () => mkdtempSync(join(tmpdir(), 'coppice-unknown-'))

function threadIn({ services }: Project, id: ThreadId): ThreadState {
  const thread = readThread(services.log, id)
  if (!thread) throw new Error(`no thread ${id}`)
  return thread
}

function waiting({ services }: Project) {
  const [thread] = [...services.log.state.threads.values()].filter(({ interrupts }) => interrupts.length > 0)
  const interrupt = thread?.interrupts[0]
  if (!interrupt) throw new Error('nobody asks')
  return { id: thread.id, interruptId: interrupt.id, interrupt }
}

function answerIn(project: Project, id: ThreadId): string {
  return JSON.stringify(threadIn(project, id).messages.at(-1)?.content)
}

const filesOf = ({ services }: Project, id: ThreadId) =>
  services.log.entries().flatMap((entry) => {
    const isOwn = entry.type === 'tree.changed' && entry.branchId === readThread(services.log, id)?.branchId
    return isOwn ? entry.patch.map(([path]) => path) : []
  })

describe('a command that the app stopped in the middle of', () => {
  it('is asked about at once, under the same id after every further restart, and only once', async () => {
    const { id, project, host, open } = await cutInTheMiddle()
    expect(threadIn(project, id)).toMatchObject({ status: 'needs_you', end: { reason: 'restart' } })
    const { interrupt } = waiting(project)
    expect(interrupt).toMatchObject({
      action_requests: [{ callId, name: 'execute', args: { command: slow }, rule: 'outcome unknown', risk: 'high' }],
      review_configs: [{ callId, allowed_decisions: ['run_again', 'mark_done', 'skip'] }],
    })
    project.runtime.resume(id)
    await project.runtime.whenIdle(id)
    await host[Symbol.asyncDispose]()
    const { project: later } = await open()
    expect(threadIn(later, id).interrupts).toEqual([interrupt])
    expect(() => later.runtime.decide(id, interrupt.id, [{ callId, type: 'approve' }])).toThrow('run_again')
    later.runtime.decide(id, interrupt.id, [{ callId, type: 'skip' }])
    expect(() => later.runtime.decide(id, interrupt.id, [{ callId, type: 'skip' }])).toThrow('already decided')
    await later.runtime.whenIdle(id)
    expect(threadIn(later, id).end).toMatchObject({ status: 'done' })
  })

  it.each([
    ['run_again', 'ok', ['/ran.txt'], 'begun', 2],
    ['mark_done', 'ok', [], 'The user says that it was done', 1],
    ['skip', 'cancelled', [], 'chose to leave it and not to run it again', 1],
  ] as const)('continues after the decision %s', async (type, outcome, files, told, starts) => {
    const { id, project, folder } = await cutInTheMiddle()
    writeFileSync(join(folder, 'fast.txt'), '')
    resumeTask(project, id, [{ callId, type }], { step: false })
    await project.runtime.whenIdle(id)
    expect(resultOf(threadIn(project, id).calls.get(callId))?.outcome).toBe(outcome)
    expect(answerIn(project, id)).toContain(told)
    expect(filesOf(project, id)).toEqual(files)
    const started = project.services.log.entries().filter((entry) => entry.type === 'tool.started')
    expect(started).toHaveLength(starts)
  })

  it.each(['all', 'none'] as const)('is not decided by --approve %s', async (approve) => {
    const { id, project } = await cutInTheMiddle()
    using _ = decideAutomatically(project, id, approve)
    project.runtime.resume(id)
    await project.runtime.whenIdle(id)
    expect(threadIn(project, id).interrupts).toHaveLength(1)
  })
})
