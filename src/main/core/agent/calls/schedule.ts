import type { CallState } from '#shared/model/thread.ts'
import type { ToolEffect } from '../../tools/tool.ts'

/** One call with what the loop needs to know to place it. */
export interface PlannedCall {
  readonly call: CallState
  readonly effect: ToolEffect
  /** `task` calls beside each other start from the same tree and run at once. */
  readonly isTask: boolean
}

/** Splits calls into groups that run one after the other, in the model's order; the calls of a group run at once. */
export function groupCalls(calls: readonly PlannedCall[]): readonly (readonly PlannedCall[])[] {
  const groups: PlannedCall[][] = []
  for (const planned of calls) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && runBeside(last, planned)) group.push(planned)
    else groups.push([planned])
  }
  return groups
}

function runBeside(left: PlannedCall, right: PlannedCall): boolean {
  return (left.effect === 'read' && right.effect === 'read') || (left.isTask && right.isTask)
}
