import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import type { Call as ToolCall } from '#shared/model/calls/call.ts'
import { type BatchRow, batchRows } from '#shared/model/derived/batch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ApprovalMode, ThreadState } from '#shared/model/thread.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import type { ApiRequest, Call, Scenario } from '../e2e/model-server/scenario.ts'
import { lastResults, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import type { Host } from '../src/main/host/wiring/create-host.ts'

/**
 * Makes a scenario in which `subagent` answers the tasks of a batch. The main agent makes one call and then repeats
 * its result.
 */
export function batchScenario(call: Call, subagent: Scenario): Scenario {
  return (request, seen) => {
    if (!taskOf(request).startsWith('main')) return subagent(request, seen)
    return turnOf(request) === 0 ? { calls: [call] } : { text: [...lastResults(request).values()].join('\n') }
  }
}

/** A model server with folders for one batch. Everything is removed when the test finishes. */
export interface BatchWorld {
  readonly server: Awaited<ReturnType<typeof startModelServer>>
  readonly folder: string
  readonly data: string
  open(): Promise<{ readonly host: Host; readonly project: Project }>
}

export async function batchWorld(scenario: Scenario, settings: object = {}): Promise<BatchWorld> {
  const server = await startModelServer(scenario)
  const [folder, data] = [temporary(), temporary()]
  writeFileSync(join(folder, 'a.txt'), 'one\n')
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  const hosts: Host[] = []
  onTestFinished(async () => {
    for (const host of hosts) await host[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    for (const made of [folder, data]) rmSync(made, { recursive: true, force: true })
  })
  return {
    server,
    folder,
    data,
    async open() {
      const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
      const host = await openTestHost(data, undefined, access)
      hosts.push(host)
      return { host, project: await host.projects.open(folder) }
    },
  }
}

/** Makes a batch world and opens its project. */
export async function openBatchWorld(...given: Parameters<typeof batchWorld>) {
  const made = await batchWorld(...given)
  return { ...made, ...(await made.open()) }
}

/**
 * In memory where the system allows it: each task makes several commits, which spend most of their time waiting for
 * the disk.
 */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const temporary = () => mkdtempSync(join(place, 'coppice-batch-'))

export function begin({ runtime }: Project, approvalMode: ApprovalMode = 'auto', model = 'scripted'): ThreadId {
  return runtime.begin({ title: 'main', model, approvalMode }, () => [{ type: 'text', text: 'main' }])
}

export function threadIn({ services }: Project, id: ThreadId): ThreadState {
  const thread = readThread(services.log, id)
  if (!thread) throw new Error(`no thread ${id}`)
  return thread
}

/** The call that started the thread's batch. Throws if there is none. */
export function batchIn(project: Project, id: ThreadId): ToolCall {
  const call = [...threadIn(project, id).calls.values()].find(({ batch }) => batch !== null)
  if (!call) throw new Error('no batch')
  return call
}

export function rowsIn(project: Project, id: ThreadId): readonly BatchRow[] {
  return batchRows(project.services.log.state, id, batchIn(project, id).callId)
}

/** A result file of the thread's batch, as lines. */
export function resultLines(project: Project, id: ThreadId, name: 'results' | 'failures'): readonly ResultLine[] {
  const bytes = project.services.scratch.read(id, `${batchIn(project, id).batch?.folder}${name}.jsonl`)
  const lines = new TextDecoder().decode(bytes).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as ResultLine)
}

export interface ResultLine {
  readonly index: number
  readonly id: string
  readonly status: string
  readonly result?: string
  readonly error?: string
  readonly handle: string | null
  readonly diff: { readonly written: readonly { readonly path: string }[] }
  readonly duration_ms: number | null
}

/** The number of requests that the subagent of a task made. */
export function requestsOf(requests: readonly ApiRequest[], task: string): number {
  return requests.filter((request) => taskOf(request) === task).length
}

/** Approves every call that the thread asks about. */
export function approve(project: Project, id: ThreadId): void {
  const [interrupt] = threadIn(project, id).interrupts
  if (!interrupt) throw new Error('nothing to approve')
  const decisions = interrupt.action_requests.map(({ callId }) => ({ callId, type: 'approve' }) as const)
  project.runtime.decide(id, interrupt.id, decisions)
}

export const tasks = (count: number) => Array.from({ length: count }, (_, index) => `task ${index}`)

/** Runs the batch in a separate process and kills that process without warning once `ended` of its tasks have ended. */
export async function killedAfter(made: BatchWorld, ended: number, known = ''): Promise<ThreadId> {
  const script = join(String(process.env.COPPICE_TEST_CHILDREN), 'batch-process.mjs')
  const child = spawn(process.execPath, ['--no-node-snapshot', script, made.data, made.folder, made.server.url, known])
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  let id = ''
  let seen = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const [thread = '', what] = line.split(' ')
    if (what === 'begun') id = thread
    else if (thread !== id) seen += 1
    if (seen >= ended) child.kill('SIGKILL')
  }
  if (id === '') throw new Error(errors)
  return id as ThreadId
}
