import type { BranchEvent } from '../../state/store/branch-events.ts'
import { strings } from '../../strings/strings.ts'

const labels = strings.branches

/** Describes an event in a few words. The workspace is not forked: it starts. */
export function eventText({ kind, paths, label }: BranchEvent, isRoot: boolean): string {
  switch (kind) {
    case 'fork':
      return isRoot ? labels.started : labels.event.fork
    case 'checkpoint':
      return label === '' ? labels.event.checkpoint : label
    case 'batch':
      return labels.batchOf(label)
    default:
      return `${labels.event[kind]} ${paths}`
  }
}
