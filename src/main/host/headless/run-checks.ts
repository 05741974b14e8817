import { readThread } from '#core/journal/read-thread.ts'
import type { Result } from '#shared/base/result.ts'
import { failure } from '#shared/base/result.ts'
import type { CheckResult } from '#shared/model/check.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'

/**
 * Runs checks of the project on a branch of a thread, or on its workspace with null, and waits for them. Those that have a
 * result for exactly this tree do not run again. Null names mean all. The error is a sentence for a person.
 */
export async function runChecks(
  { services }: Project,
  threadId: ThreadId,
  branchId: BranchId | null,
  names: readonly string[] | null,
  signal: AbortSignal,
): Promise<Result<readonly CheckResult[], string>> {
  const { log, checks } = services
  const branch = branchId ?? readThread(log, threadId)?.branchId
  if (branch === undefined) return failure(`There is no thread ${threadId}.`)
  const known = checks.definitions().map(({ name }) => name)
  if (known.length === 0)
    return failure(
      'This project has no checks. Add some to "checks" in your settings, or accept what the window proposes.',
    )
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown !== undefined) return failure(`There is no check "${unknown}". Checks: ${known.join(', ')}.`)
  const request = {
    branchId: branch,
    tree: null,
    environmentOf: branch,
    on: 'branch',
    again: false,
    by: 'person',
  } as const
  return checks.run({ ...request, names: names === null ? known : [...names] }, signal)
}
