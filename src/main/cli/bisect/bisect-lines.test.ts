import { expect, it } from 'vitest'
import type { BisectView, BrokenStep } from '#shared/contract/checks.ts'
import type { BranchId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { bisectLines } from './bisect-lines.ts'

const step: BrokenStep = {
  ...{ sequence: 41 as Sequence, before: 40 as Sequence, at: 0, threadId: 'child' as ThreadId, agent: 'parser' },
  ...{ branchId: 'child' as BranchId, branch: 'parser', handle: null, callId: 'call' as ToolCallId },
  ...{ tool: 'edit_file', how: 'call', decision: null, task: '', files: [], mergedBy: null },
  checkpoint: null,
}
const place = { at: 0, sequence: null, branchId: null, mergedBy: null }
const between = (found: readonly BrokenStep[]): BisectView => ({
  ...{ branchId: 'main' as BranchId, check: 'test', steps: 9, asked: [], runs: 4, most: 6, startedAt: 0 },
  ...{ durationMs: 8000, found, end: { kind: 'between', after: place, until: place } },
})
const words = (found: readonly BrokenStep[]) =>
  bisectLines(between(found), [])
    .map((line) => JSON.stringify(line))
    .join(' ')

it('names the last of the steps that may have broken a check, also when the first is the beginning', () => {
  expect(words([step])).toMatch(/broke after the beginning and not later than in edit_file of parser/)
  const merge = { ...step, sequence: 60 as Sequence, tool: null, how: 'merge' } as const
  expect(words([step, merge])).toMatch(/broke after edit_file of .* and not later than in a merge of/)
})
