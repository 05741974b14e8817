import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startModelServer } from '../../../e2e/model-server/model-server.ts'
import type { Answer, ApiRequest, Scenario } from '../../../e2e/model-server/scenario.ts'
import { diskBytes } from '../support/disk-bytes.ts'
import { git } from '../support/git.ts'
import type { Agent } from './agent.ts'
import { externalName } from './external.ts'
import { editsOf, expectNoFailure } from './jobs.ts'
import { watchMemory } from './process-tree.ts'
import { endOf } from './session.ts'

/** What twelve agents cost that edit one project at once, each aside from the others. */
export interface Crowd {
  readonly milliseconds: number
  readonly peakMb: number
  /** Megabytes on the disk beside the project. */
  readonly diskMb: number
}

const agents = 12
const editsEach = 10
/** So that each one's file is in a folder of its own. */
const filesApart = 100
const done: Answer = { text: 'Done.' }
const names = Array.from({ length: agents }, (_, index) => `agent-${index}-of-${agents}`)

/** Subagents of one run, each on a branch. */
export function runBranches(agent: Agent, folder: string, project: string): Promise<Crowd> {
  return runSubagents(agent, folder, project, names)
}

/** The same with external agents. What they keep in their own home, and in that of their branch, is not counted. */
export function runExternal(agent: Agent, folder: string, project: string): Promise<Crowd> {
  const tasks = names.map((task) => ({ task, subagent_type: externalName }))
  return runSubagents(agent, folder, project, tasks)
}

async function runSubagents(agent: Agent, folder: string, project: string, tasks: readonly unknown[]): Promise<Crowd> {
  const spawn = { calls: [{ name: 'spawn_subagents', input: { tasks } }] }
  await using server = await startModelServer(script(agent, () => project, spawn))
  const place = { project, home: makeHome(folder, 'home'), url: server.url }
  const started = performance.now()
  const child = agent.start(place, 'Start all of them')
  using memory = watchMemory([child.pid ?? 0])
  await endOf(agent, child)
  const milliseconds = performance.now() - started
  expectAll(agent, server.requests, 2)
  return {
    milliseconds,
    peakMb: memory.peakMb(),
    diskMb: diskBytes(join(place.home, 'data'), '*/environments/*/home') / 1e6,
  }
}

/** A program for each agent, in a worktree of git that is made for it. */
export async function runWorktrees(agent: Agent, folder: string, project: string): Promise<Crowd> {
  const worktrees = names.map((name) => join(folder, name))
  await using server = await startModelServer(script(agent, (index) => worktrees[index] ?? '', done))
  const started = performance.now()
  const children = worktrees.map((worktree, index) => {
    git(project, 'worktree', 'add', '-q', '--detach', worktree)
    const place = { project: worktree, home: makeHome(folder, `home-${index}`), url: server.url }
    return agent.start(place, names[index] ?? '')
  })
  using memory = watchMemory(children.map(({ pid }) => pid ?? 0))
  await Promise.all(children.map((child) => endOf(agent, child)))
  const milliseconds = performance.now() - started
  expectAll(agent, server.requests, 0)
  const diskMb = worktrees.reduce((sum, worktree) => sum + diskBytes(worktree), 0) / 1e6
  for (const worktree of worktrees) git(project, 'worktree', 'remove', '--force', worktree)
  return { milliseconds, peakMb: memory.peakMb(), diskMb }
}

/** Answers each of the twelve with its edits, one after the other, and anybody else with `first` and then an end. */
function script(agent: Agent, projectOf: (index: number) => string, first: Answer): Scenario {
  const turns = new Map<string | undefined, number>()
  return (request) => {
    if (!agent.isTurn(request)) return { text: 'A title' }
    const name = /agent-\d+-of-\d+/.exec(JSON.stringify(request.messages[0]))?.[0]
    const turn = turns.get(name) ?? 0
    turns.set(name, turn + 1)
    if (name === undefined) return turn === 0 ? first : done
    const index = names.indexOf(name)
    const call = editsOf(agent.calls(projectOf(index)), index * filesApart, editsEach)[turn]
    return call ? { calls: [call] } : done
  }
}

/** Throws unless every one of the twelve has made its edits, and all of them came about. */
function expectAll({ name }: Agent, requests: readonly ApiRequest[], others: number): void {
  const expected = agents * (editsEach + 2) + others
  const asked = requests.filter(({ tools }) => (tools?.length ?? 0) > 0).length
  if (asked !== expected) throw new Error(`${name} asked ${asked} times and not ${expected}`)
  expectNoFailure(name, requests)
}

function makeHome(folder: string, name: string): string {
  const home = join(folder, name)
  mkdirSync(home, { recursive: true })
  return home
}
