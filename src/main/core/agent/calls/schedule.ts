import type { Call } from '#shared/model/call.ts'
import type { Tool } from '../../tools/tool.ts'

/** A call and its tool, for scheduling. */
export interface PlannedCall {
  /** A call without a result yet. */
  readonly call: Call
  /** Its `effect` decides which calls may run at the same time. */
  readonly tool: Tool
}

/**
 * Splits calls into groups that run one after the other, in the model's order. The calls of a group run at the same
 * time.
 */
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
  return (
    (left.tool.effect === 'read' && right.tool.effect === 'read') ||
    (left.tool === right.tool && left.tool.runsBesideItself === true)
  )
}
