import { findLastUndoable, type UndoableEntry } from '#host/threads/last-undoable.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { mergedBranches } from '#shared/model/compose/merged-branches.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { plural } from '#shared/text/plural.ts'
import type { CommandLine } from '../arguments.ts'
import { lineOf } from '../screen/spans.ts'
import { answerAboutThread, type ThreadPlace } from '../thread-verb.ts'

/** `coppice undo`: takes back the last merge, discard, apply, delivery, rewind or change by hand of a thread. */
export function undo(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const { log } = place.project.services
    const { thread } = place
    const threads = new Set(place.project.family(thread.id).map(({ id }) => id))
    const entry = findLastUndoable(log.entriesAfter(0, undefined, log.rootOf(thread.id)), threads)
    if (!entry)
      throw new WireError(
        'REFUSED',
        'There is no merge, discard, apply, delivery, rewind or change by hand of this thread to undo.',
      )
    const told = describeEntry(entry, log.state)
    await undoEntry(place, entry)
    const { sequence, type } = entry
    return {
      value: { threadId: thread.id, undone: { sequence, type, description: told } },
      lines: [lineOf(`Undone: ${told}`, 'good')],
    }
  })
}

async function undoEntry({ client, projectId }: ThreadPlace, entry: UndoableEntry): Promise<void> {
  const { sequence, threadId } = entry
  switch (entry.type) {
    case 'branch.merged':
    case 'branch.discarded':
    case 'tree.changed':
      return client.branches.undo({ projectId, sequence })
    case 'apply.finished':
      return client.changes.undoApply({ projectId, branchId: entry.branchId, sequence })
    case 'thread.delivered':
      return client.deliveries.undo({ projectId, branchId: entry.delivery.branchId, sequence })
    case 'rewound':
      await client.rewind.redo({ projectId, threadId, sequence })
  }
}

function describeEntry(entry: UndoableEntry, { branches }: ProjectState): string {
  switch (entry.type) {
    case 'branch.merged':
      return `${entry.composed ? 'composition' : 'merge'} of ${mergedBranches(entry)
        .map((id) => branches.get(id)?.name ?? id)
        .join(', ')}`
    case 'branch.discarded':
      return `discard of ${branches.get(entry.branchId)?.name ?? entry.branchId}`
    case 'apply.finished':
      return `apply of ${plural(entry.paths.length, 'file', 'files')}`
    case 'thread.delivered':
      return `delivery to ${entry.delivery.branch}`
    case 'tree.changed':
      return `change of ${plural(entry.patch.length, 'file', 'files')} by hand`
    case 'rewound':
      return `rewind to ${entry.to}`
  }
}
