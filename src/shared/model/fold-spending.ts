import type { Entry } from './entry.ts'
import type { ThreadId } from './ids.ts'
import { type ProjectState, rootThreadOf } from './project-state.ts'
import { noSpending, type Spending } from './spending.ts'
import { addUsage, noUsage } from './usage.ts'

/** A thousand subagents ask what their family has spent before every request, so it is summed up as it is spent. */
export function foldSpending(state: ProjectState, entry: Entry): ProjectState {
  if (entry.type !== 'usage' && entry.type !== 'run.started') return state
  const thread = state.threads.get(entry.threadId)
  if (!thread) return state
  const root = state.threads.get(rootThreadOf(state, thread.id)) ?? thread
  const known = state.spending.get(root.id) ?? noSpending
  if (entry.type === 'run.started')
    return thread === root ? withSpending(state, root.id, { ...known, run: noUsage }) : state
  const isOfRun = thread === root || thread.createdAt >= (root.runStartedAt ?? Number.POSITIVE_INFINITY)
  return withSpending(state, root.id, {
    ever: addUsage(known.ever, entry.usage),
    run: isOfRun ? addUsage(known.run, entry.usage) : known.run,
  })
}

function withSpending(state: ProjectState, root: ThreadId, spending: Spending): ProjectState {
  return { ...state, spending: state.spending.with(root, spending) }
}
