import { expect, it } from 'vitest'
import { z } from 'zod'
import type { BranchId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createMemoryTrace } from '../../memory/memory-files.ts'
import { type ToolOutput, textOutput } from '../../tools/tool.ts'
import type { LoopContext } from '../types/loop-context.ts'
import { changeOf, finishCall } from './finish-call.ts'
import { argumentProblems, concludeCall, type RanCall } from './run-call.ts'

const branchId = 'workspace' as BranchId
const gone = { node: null, pin: null }
const patch: Patch = [['/a' as VirtualPath, [null, gone]]]
const nothing = { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }
const merging: ToolOutput = {
  ...textOutput('merged'),
  entries: [
    { type: 'branch.merged', branchId, into: branchId, patch, bases: [], result: nothing, forced: false, by: 'agent' },
  ],
}

function ranCall(conclude: () => Promise<ToolOutput>): RanCall {
  const workspace = { branch: { patch: () => [] }, changedOutside: () => [], commitStores: createMemoryTrace }
  const call = { callId: 'c', name: 'task', state: { kind: 'running' }, decision: null }
  return { call, tool: { conclude }, context: {}, workspace, output: textOutput('ran'), startedAt: 0 } as never
}

/** A loop whose branch refuses changes for this many checks. */
function loopBusyFor(looks: number): LoopContext {
  let left = looks
  const stillApplies = (change: Patch) => change.length === 0 || left-- <= 0
  const limits = { resultTokens: 1000 }
  return { thread: () => ({ branchId }), stillApplies, limits, clock: { now: () => 0 } } as never
}

const { signal } = new AbortController()

it('plans a merge again when a person merged into the same files meanwhile', async () => {
  let planned = 0
  const ran = ranCall(async () => {
    planned += 1
    return merging
  })
  const loop = loopBusyFor(1)
  const concluded = await concludeCall(ran, (one) => loop.stillApplies(changeOf(loop, one)), signal)
  expect([planned, concluded.output]).toEqual([2, merging])
})

it('stores no merge over files that somebody changed meanwhile', async () => {
  const ran = { ...ranCall(async () => merging), output: merging }
  const stored = finishCall(loopBusyFor(1), ran)
  expect(stored.map(({ type }) => type)).toEqual(['tool.finished'])
})

const schema = z.object({
  handle: z.union([z.string(), z.array(z.string()).min(1)]),
  tasks: z.array(z.union([z.string().min(1), z.object({ task: z.string(), name: z.string().optional() })])),
})

it.each([
  [{ handle: 'a', tasks: [{}] }, 'tasks.0: task: Invalid input: expected string, received undefined'],
  [
    { handle: 5, tasks: [] },
    'handle: Invalid input: expected string, received number, or Invalid input: expected array, received number',
  ],
  [{ handle: [], tasks: [''] }, /^handle: Too small: .*; tasks\.0: Too small: /],
])('names the problems of %j and their places', (given, words) => {
  const { error } = schema.safeParse(given)
  expect(argumentProblems(error?.issues ?? [])).toEqual(
    typeof words === 'string' ? words : expect.stringMatching(words),
  )
})
