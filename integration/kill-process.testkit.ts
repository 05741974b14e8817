import { writeSync } from 'node:fs'
import { readThread } from '#core/journal/read-thread.ts'
import { isAsking } from '#shared/model/calls/call.ts'
import type { Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { familyOf } from '#shared/model/project-state.ts'
import { agentServicesOf } from '../src/main/core/journal/project-log.testkit.ts'
import { applyToDisk } from '../src/main/host/changes/apply.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import type { KillPoint } from './kill-load.testkit.ts'

/**
 * One process of the kill harness. It finishes the load that the previous process left, then works on its own load
 * until it is killed. Each line is written at once, so that the lines show exactly what was acknowledged.
 */
export interface Place {
  readonly data: string
  readonly folder: string
}
export interface Orders {
  readonly url: string
  readonly bank: string
  readonly finish: Place | null
  readonly work: (Place & { readonly kill: KillPoint | null }) | null
}

const orders = JSON.parse(process.argv[2] ?? '') as Orders
if (orders.finish) await carryOut(orders.finish, null)
if (orders.work) await carryOut(orders.work, orders.work.kill)

async function carryOut(place: Place, kill: KillPoint | null): Promise<void> {
  const before = performance.now()
  const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: orders.url }
  await using host = await openTestHost(place.data, undefined, access)
  const project = await host.projects.open(place.folder)
  const { log } = project.services
  const open = [...log.state.threads.values()].flatMap(({ interrupts }) => interrupts)
  say({ kind: 'open', ms: performance.now() - before, interrupts: open })
  const { servers } = await project.mcp.list()
  for (const { hash } of servers) await project.mcp.setTrusted(hash, true)
  project.events.listen((event) => say({ kind: 'stored', sequence: event.sequence }))
  if (kill) killAt(project, kill)
  say({ kind: 'begun' })
  await work(project)
  say({ kind: 'finished' })
}

function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** Does the rest of the load, however much was done before. */
async function work(project: Project): Promise<void> {
  const { runtime, services } = project
  const { log } = services
  const content = [{ type: 'text', text: 'main' }] as const
  const options = { title: 'main', model: 'scripted', approvalMode: 'auto-edit' } as const
  const known = [...log.state.threads.values()].find(({ parent }) => parent === null)?.id
  const id = known ?? runtime.begin(options, () => content)
  await toTheEnd(project, id, known !== undefined)
  if (!log.entries().some(({ type }) => type === 'compacted')) {
    runtime.compact(id)
    await runtime.whenIdle(id)
  }
  const branchId = readThread(log, id)?.branchId
  if (branchId && !log.entries().some(({ type }) => type === 'apply.finished'))
    await applyToDisk(project, branchId, null)
}

async function toTheEnd({ runtime, services: { log } }: Project, id: ThreadId, resumed: boolean): Promise<void> {
  const isDone = () => readThread(log, id)?.status === 'done'
  if (resumed && !isDone()) runtime.resume(id)
  while (true) {
    await runtime.whenIdle(id)
    const open = familyOf(log.state, id).flatMap(({ interrupts }) => interrupts)
    if (open.length === 0) break
    for (const interrupt of open) {
      for (const decision of await decisionsOn(interrupt)) {
        const waits = isAsking(readThread(log, interrupt.threadId)?.calls.get(decision.callId))
        if (waits) runtime.decide(interrupt.threadId, interrupt.id, [decision])
      }
    }
  }
  if (!isDone()) throw new Error(`It ended as ${JSON.stringify(readThread(log, id)?.end)}`)
}

/** Approves calls. If the outcome of a call is unknown, looks at the bank to see whether the payment was made. */
async function decisionsOn({ review_configs, action_requests }: Interrupt): Promise<readonly Decision[]> {
  const made = (await (await fetch(`${orders.bank}made`)).json()) as Readonly<Record<string, number>>
  return review_configs.map(({ callId, allowed_decisions }): Decision => {
    if (!allowed_decisions.includes('run_again')) return { callId, type: 'approve' }
    const key = action_requests.find((request) => request.callId === callId)?.args.key
    return { callId, type: made[String(key)] ? 'mark_done' : 'run_again' }
  })
}

function killAt(project: Project, kill: KillPoint): void {
  if (kill.at === 'append') killAtAppend(project, kill)
  if (kill.at === 'memory') exhaustAtAppend(project, kill.nth)
  if (kill.at === 'apply' && project.diskApply) {
    const { diskApply } = project
    const apply = diskApply.apply.bind(diskApply)
    let pieces = 0
    const onProgress = () => {
      pieces += 1
      if (pieces === kill.pieces) die()
    }
    Object.assign(diskApply, {
      apply: (...[steps, content]: Parameters<typeof apply>) => apply(steps, content, { onProgress }),
    })
  }
}

/** Stands between the journal and its callers. Entries are stored as usual. */
function killAtAppend(project: Project, { side, entry, nth }: Extract<KillPoint, { at: 'append' }>): void {
  const { log } = agentServicesOf(project)
  const commit = log.commit.bind(log)
  let met = 0
  Object.assign(log, {
    commit: (drafts: Parameters<typeof commit>[0]) => {
      const isIt = drafts.some((draft) => namesOf(project, draft).includes(entry))
      if (isIt) met += 1
      const dies = isIt && met === nth
      if (dies && side === 'before') die()
      const entries = commit(drafts)
      if (dies) die()
      return entries
    },
  })
}

/** Leaves the process without memory while it goes on with its work, as a leak would. */
function exhaustAtAppend(project: Project, nth: number): void {
  const { log } = agentServicesOf(project)
  const commit = log.commit.bind(log)
  const held: number[][] = []
  let met = 0
  Object.assign(log, {
    commit: (drafts: Parameters<typeof commit>[0]) => {
      met += 1
      if (met === nth) setInterval(() => held.push(...Array.from({ length: 4 }, () => new Array(200_000).fill(met))))
      return commit(drafts)
    },
  })
}

function namesOf({ services: { log } }: Project, draft: EntryDraft): readonly string[] {
  const { type } = draft
  if (type === 'tool.started' || type === 'tool.finished') return [type, `${type}:${draft.name}`]
  if (type === 'branch.forked') return [type, `${type}:${draft.handle}`]
  if (type === 'message' && draft.message.role === 'assistant') return [`${type}:main`]
  return [type, `${type}:${readThread(log, draft.threadId)?.title}`]
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  while (true);
}
