import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { emptyTree, listChanges } from '../../../packages/overlay/src/index.ts'
import { grepTool } from '../../../src/main/core/tools/files/find-files.ts'
import { applyToDisk, undoApply } from '../../../src/main/host/changes/apply.ts'
import { exportPatch } from '../../../src/main/host/changes/export-patch.ts'
import { changesOf, editsBeside } from '../support/changes.ts'
import { summarise } from '../support/measure.ts'
import { generateProject, type ProjectSize } from '../support/project.ts'
import type { Row } from '../support/report.ts'
import { callTool } from '../support/tool-call.ts'
import { changeWorkspace, headOf, patchFor, type Workspace } from '../support/workspace.ts'
import { mergeOnce } from './merges.ts'

interface Delay {
  readonly p99: number
  readonly longest: number
}

const leastMs = 2_000

/** Goal 18: how many milliseconds other work in the host waits while one of these operations runs. */
export async function blockingRows({ files, bytesEach }: ProjectSize): Promise<readonly Row[]> {
  await using project = await generateProject({ files, bytesEach })
  const { workspace } = project
  const theirs = await patchFor(workspace, changesOf(files, bytesEach, 1_000))
  const ours = await patchFor(workspace, editsBeside(files, bytesEach, 200))
  const merge = () => mergeOnce(workspace, { theirs, ours })
  const merging = await delayDuring(merge)
  await changeWorkspace(workspace, changesOf(files, bytesEach, 1_000))
  const idle = await delayDuring(() => setTimeout(leastMs))
  const works: readonly (readonly [string, Delay])[] = [
    ['grep, 1k changes', await delayDuring(() => grep(workspace))],
    ['patch of 1k files', await delayDuring(() => exportPatch(workspace.project, headOf(workspace), null))],
    ['apply of 1k files', await delayDuring(() => applyAndUndo(workspace))],
    ['merge of 1k files', merging],
    ['diff of 1k files', await delayDuring(() => diff(workspace))],
  ]
  return works.flatMap(([name, delay]) => rowsOf(name, delay, idle))
}

function rowsOf(name: string, { p99, longest }: Delay, idle: Delay): readonly Row[] {
  const sample = (ms: number) => summarise([ms])
  const peer = (ms: number) => ({ name: 'idle', sample: sample(ms) })
  return [
    {
      operation: `event loop during ${name}, p99`,
      unit: 'ms',
      coppice: sample(p99),
      peer: peer(idle.p99),
      goal: { text: '≤ 2 × idle', limit: 2 * idle.p99 },
    },
    {
      operation: `event loop during ${name}, longest`,
      unit: 'ms',
      coppice: sample(longest),
      peer: peer(idle.longest),
      goal: { text: '≤ 50 ms', limit: 50 },
    },
  ]
}

/** Runs the act once to warm up, then repeatedly for two seconds. */
async function delayDuring(act: () => Promise<unknown>): Promise<Delay> {
  await act()
  globalThis.gc?.()
  await setTimeout(50)
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  monitor.enable()
  const end = performance.now() + leastMs
  while (performance.now() < end) await act()
  monitor.disable()
  return { p99: monitor.percentile(99) / 1e6, longest: monitor.max / 1e6 }
}

function grep(workspace: Workspace): Promise<string> {
  return callTool(workspace, grepTool, { pattern: 'weight: 4242 }', literal: true, output_mode: 'content' })
}

function diff(workspace: Workspace) {
  return listChanges({ ...workspace.project.services, from: emptyTree, to: headOf(workspace) })
}

async function applyAndUndo({ project, branchId }: Workspace): Promise<void> {
  const { sequence } = await applyToDisk(project, branchId, null)
  await undoApply(project, branchId, sequence)
}
