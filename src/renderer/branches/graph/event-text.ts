import type { BranchEvent } from '../../state/branch-events.ts'
import { strings } from '../../state/strings.ts'

const words = strings.branches

/** An event in a few words. The workspace is never forked: it starts. */
export function eventText({ kind, paths, label }: BranchEvent, isRoot: boolean): string {
  switch (kind) {
    case 'fork':
      return isRoot ? words.started : words.event.fork
    case 'checkpoint':
      return label === '' ? words.event.checkpoint : label
    case 'batch':
      return words.batchOf(label)
    default:
      return `${words.event[kind]} ${paths}`
  }
}
