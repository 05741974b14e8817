import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { branchId, threadId } from '../model/entry-parts.ts'
import type { ProcessId } from '../model/ids.ts'
import type { ProcessOutput, ProcessView } from '../model/process.ts'
import type { ProjectScripts } from '../model/setup.ts'
import { processId, projectId } from './primitives.ts'

const thread = z.object({ projectId, threadId })
const process = thread.extend({ processId })
const nothing = type<void>()

/** What a person may do about commands that stay: those of agents, and those that a person starts. */
export const processCommands = {
  /** Of all agents of the thread's family, also those that have ended. Oldest first. */
  list: oc.input(thread).output(type<readonly ProcessView[]>()),
  /** The commands of a trusted project that a person can start, and the names of its ports. */
  scripts: oc.input(z.object({ projectId })).output(type<Pick<ProjectScripts, 'runs' | 'ports'>>()),
  /** Starts one of these commands in a branch, where it stays until it is stopped. Refused when the project names another one by now. */
  start: oc
    .input(z.object({ projectId, branchId, name: z.string().max(1000), command: z.string().max(300_000) }))
    .output(type<{ readonly processId: ProcessId }>()),
  /** The last bytes of the output. `NOT_FOUND` when it is not kept any more. */
  output: oc.input(process.extend({ bytes: z.int().min(1).max(1_000_000) })).output(type<ProcessOutput>()),
  /** Ends it with all that it started. Its changes become changes of its branch. */
  stop: oc.input(process).output(nothing),
  /** Whether it goes on after the run of its agent. */
  keep: oc.input(process.extend({ isKept: z.boolean() })).output(nothing),
  /** Makes a port of this machine that leads to a port of the branch. The same address until that port is closed. */
  openPreview: oc
    .input(z.object({ projectId, branchId, port: z.int().min(1).max(65_535) }))
    .output(type<{ readonly url: string }>()),
}
