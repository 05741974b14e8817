import { join } from 'node:path'
import type { Agent, Calls } from './agents/agent.ts'
import { claudeAgent } from './agents/claude.ts'
import { coppiceAgent } from './agents/coppice.ts'
import { externalAgents } from './agents/external.ts'
import { commandsOf, editsOf } from './agents/jobs.ts'
import { opencodeAgent } from './agents/opencode.ts'
import { runSession, type Session } from './agents/session.ts'
import { type Crowd, runBranches, runExternal, runWorktrees } from './agents/twelve.ts'
import { isQuick } from './support/flags.ts'
import { makeTree, temporaryFolder } from './support/folders.ts'
import { makeRepository } from './support/git.ts'
import { type Sample, summarise } from './support/measure.ts'
import { measureParts } from './support/measure-parts.ts'
import { type Goal, type Row, shortCount, type Unit } from './support/report.ts'

// The same job for Coppice and for the agents that people would take instead, in turns: each program as people install
// it, over a scripted Messages server on loopback. Every agent may do everything without a question.
const coppice = coppiceAgent()
/** In the order of the table. Null where it is not installed or does not start on this system. */
const peers = {
  sandboxed: claudeAgent({ sandbox: true }),
  bare: claudeAgent({ sandbox: false }),
  opencode: opencodeAgent(),
}
const missing = { sandboxed: 'Claude Code, sandbox', bare: 'Claude Code', opencode: 'OpenCode' }
type PeerKey = keyof typeof peers
const keys = Object.keys(peers) as readonly PeerKey[]

/** Short sessions of all agents in turns, each the first one of a home and a project. */
async function stepRows(): Promise<readonly Row[]> {
  const [files, count, runs] = isQuick ? [200, 10, 3] : [2_000, 20, 7]
  const edits = new Results()
  const commands = new Results()
  for (let run = 0; run <= runs; run += 1) {
    for (const agent of everybody()) {
      const edited = await once(files, agent, (calls) => editsOf(calls, 0, count))
      const commanded = await once(files, agent, (calls) => commandsOf(calls, count))
      if (run === 0) continue
      edits.add(agent, edited)
      commands.add(agent, commanded)
    }
  }
  const middle = ({ steps }: Session) => summarise(steps.slice(1)).median
  return [
    ...edits.rows('start to first request', 'ms', ({ firstRequest }) => firstRequest, { bare: 0.8 }),
    ...edits.rows('an edit, from request to request', 'ms', middle, { bare: 0.33 }),
    ...commands.rows('a command, from request to request', 'ms', middle, { sandboxed: 0.5, bare: 1 }),
    ...commands.rows('processor of a command', 'ms', ({ processorOfStep }) => processorOfStep, {}, atMost(25, 'ms')),
  ]
}

/** Sessions of 20 and of 1,000 steps, and one more task in the long one. */
async function longRows(): Promise<readonly Row[]> {
  const steps = isQuick ? 100 : 1_000
  const [short, long, resumed] = [new Results(), new Results(), new Results()]
  for (const agent of everybody().filter((one) => one !== peers.sandboxed)) {
    const few = (calls: Calls) => [...editsOf(calls, 0, 9), ...commandsOf(calls, 9)]
    short.add(agent, await once(200, agent, few, { memory: true }))
    // A thousand of its steps take many minutes.
    if (agent === peers.opencode) continue
    using folder = temporaryFolder()
    const project = makeProject(folder.path, 200)
    const many = (calls: Calls) => editsOf(calls, 0, steps - 1)
    long.add(agent, await runSession(agent, folder.path, project, many, { memory: true }))
    const again = (calls: Calls) => editsOf(calls, 100, 10)
    resumed.add(agent, await runSession(agent, folder.path, project, again, { memory: true, resume: true }))
  }
  const memory = ({ peakMb }: Session) => peakMb
  return [
    ...short.rows('memory at most: 20 steps', 'MB', memory, { bare: 0.45 }),
    ...long.rows(`memory at most: ${steps} steps`, 'MB', memory, { bare: 0.55 }),
    ...long.rows(`a session of ${steps} steps`, 'ms', ({ whole }) => whole, { bare: 0.2 }),
    ...resumed.rows('its next task, start to first request', 'ms', ({ firstRequest }) => firstRequest),
    ...resumed.rows('memory at most: its next task', 'MB', memory),
  ]
}

/** Twelve agents with ten edits each: subagents on branches, and programs in worktrees. */
async function twelveRows(): Promise<readonly Row[]> {
  const files = isQuick ? 2_000 : 20_000
  const own = await crowd(files, coppice, runBranches)
  const peer = peers.bare && (await crowd(files, peers.bare, runWorktrees))
  const row = (what: string, unit: Unit, of: (one: Crowd) => number, goal?: Goal): Row => ({
    operation: `12 agents, 10 edits each, ${shortCount(files)} files: ${what}`,
    unit,
    coppice: summarise([of(own)]),
    peer: { name: `${peers.bare?.name ?? missing.bare} in worktrees`, sample: peer && summarise([of(peer)]) },
    ...(goal && { goal }),
  })
  const share = (of: (one: Crowd) => number, part: number): Goal | undefined =>
    peer ? { text: `≤ 1 : ${part}`, limit: of(peer) / part } : undefined
  const [time, memory] = [({ milliseconds }: Crowd) => milliseconds, ({ peakMb }: Crowd) => peakMb]
  return [
    row('time', 'ms', time, share(time, 15)),
    row('memory at most', 'MB', memory, share(memory, 12)),
    row('disk', 'MB', ({ diskMb }) => diskMb, atMost(1, 'MB')),
  ]
}

/** Claude Code as an external agent of Coppice, as an editor starts it, and as its own program, in turns. */
async function externalRows(): Promise<readonly Row[]> {
  const agents = externalAgents()
  if (!agents) {
    process.stdout.write('SKIPPED: external agents. Install them with npm ci --prefix bench/agents.\n')
    return []
  }
  const { printing, bare, coppice: own, delegating } = agents
  const [files, count, runs] = isQuick ? [2_000, 5, 1] : [20_000, 20, 3]
  const [edits, commands] = [new Map<Agent, Session[]>(), new Map<Agent, Session[]>()]
  const crowds = new Map<Agent, Crowd[]>()
  for (let run = 0; run < runs; run += 1) {
    for (const agent of [own, bare, printing]) {
      addTo(edits, agent, await once(2_000, agent, (calls) => editsOf(calls, 0, count)))
      addTo(commands, agent, await once(2_000, agent, (calls) => commandsOf(calls, count)))
    }
    addTo(crowds, delegating, await crowd(files, delegating, runExternal))
    for (const agent of [bare, printing]) addTo(crowds, agent, await crowd(files, agent, runWorktrees))
  }
  const middle = ({ steps }: Session) => summarise(steps.slice(1)).median
  const twelve = `12 × Claude Code, 10 edits each, ${shortCount(files)} files`
  const besides = [bare, printing]
  const beside = <One>(all: ReadonlyMap<Agent, readonly One[]>, mine: Agent, operation: string, unit: Unit) => {
    const sampleOf = (agent: Agent, of: (one: One) => number) => summarise((all.get(agent) ?? []).map(of))
    return (
      of: (one: One) => number,
      peers: readonly Agent[] = besides,
      goalOf?: (peer: number) => Goal,
    ): readonly Row[] =>
      peers.map((agent) => {
        const sample = sampleOf(agent, of)
        const goal = goalOf && { goal: goalOf(sample.median) }
        return { operation, unit, coppice: sampleOf(mine, of), peer: { name: agent.name, sample }, ...goal }
      })
  }
  const share = (time: number) => ({ text: '≤ 0.6 ×', limit: 0.6 * time })
  return [
    ...beside(edits, own, 'start to first request', 'ms')(({ firstRequest }) => firstRequest),
    ...beside(edits, own, 'an edit, from request to request', 'ms')(middle),
    ...beside(commands, own, 'a command, from request to request', 'ms')(middle),
    ...beside(crowds, delegating, `${twelve}: time`, 'ms')(({ milliseconds }) => milliseconds, besides, share),
    // A client of the bench runs beside each bare adapter.
    ...beside(crowds, delegating, `${twelve}: memory at most`, 'MB')(({ peakMb }) => peakMb, [printing]),
    ...beside(
      crowds,
      delegating,
      `${twelve}: disk`,
      'MB',
    )(
      ({ diskMb }) => diskMb,
      besides,
      () => atMost(1, 'MB'),
    ),
  ]
}

function addTo<One>(all: Map<Agent, One[]>, agent: Agent, one: One): void {
  all.set(agent, [...(all.get(agent) ?? []), one])
}

async function crowd(files: number, agent: Agent, run: typeof runBranches): Promise<Crowd> {
  using folder = temporaryFolder()
  return await run(agent, folder.path, makeProject(folder.path, files))
}

function everybody(): readonly Agent[] {
  return [coppice, ...keys.flatMap((key) => peers[key] ?? [])]
}

async function once(
  files: number,
  agent: Agent,
  callsOf: Parameters<typeof runSession>[3],
  options: Parameters<typeof runSession>[4] = {},
): Promise<Session> {
  using folder = temporaryFolder()
  return await runSession(agent, folder.path, makeProject(folder.path, files), callsOf, options)
}

function makeProject(folder: string, files: number): string {
  const project = join(folder, 'project')
  makeTree(project, files, 2_000)
  makeRepository(project)
  return project
}

function atMost(limit: number, unit: Unit): Goal {
  return { text: `≤ ${limit} ${unit}`, limit }
}

/** The sessions of each agent, and rows that put those of Coppice beside those of each peer. */
class Results {
  readonly #sessions = new Map<Agent, Session[]>()

  add(agent: Agent, session: Session): void {
    this.#sessions.set(agent, [...(this.#sessions.get(agent) ?? []), session])
  }

  /** @param factors how many times the peer's figure is the goal; without one, `goal` is that of the first row */
  rows(
    operation: string,
    unit: Unit,
    figureOf: (session: Session) => number,
    factors: Partial<Record<PeerKey, number>> = {},
    goal?: Goal,
  ): readonly Row[] {
    const own = this.#sample(coppice, figureOf)
    if (!own) return []
    return keys.flatMap((key, index): readonly Row[] => {
      const agent = peers[key]
      const sample = agent && this.#sample(agent, figureOf)
      if (agent && !sample) return []
      const factor = factors[key]
      const relative = sample && factor ? { text: `≤ ${factor} ×`, limit: factor * sample.median } : undefined
      const wanted = relative ?? (index === 0 ? goal : undefined)
      const peer = { name: agent?.name ?? missing[key], sample: sample ?? null }
      return [{ operation, unit, coppice: own, peer, ...(wanted && { goal: wanted }) }]
    })
  }

  #sample(agent: Agent, figureOf: (session: Session) => number): Sample | null {
    const sessions = this.#sessions.get(agent)
    return sessions ? summarise(sessions.map(figureOf)) : null
  }
}

await measureParts('agents', { steps: stepRows, long: longRows, twelve: twelveRows, external: externalRows })
