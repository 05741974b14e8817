import { listFailed } from '#core/checks/failed-checks.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { CheckResult } from '#shared/model/check.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'

/** A check of a run as its report has it. */
export interface ReportedCheck {
  readonly name: string
  readonly status: CheckResult['outcome']
  readonly exit_code: number | null
}

export interface RequiredChecks {
  readonly checks: readonly ReportedCheck[]
  /** Why nothing may be delivered, as a sentence for a person. Null when every required check is green. */
  readonly problem: string | null
  /** The last lines of what is not green, for a person. */
  readonly output: readonly string[]
}

/** Why `--require-checks` makes no sense in a project. Null when it does. */
export function findCheckProblem(project: Project): string | null {
  if (namesOf(project).length > 0) return null
  return 'This project has no required check for branches or applies. Add one to "checks" in your settings, or leave --require-checks out.'
}

/** Runs the required checks of branches and applies on exactly the tree that a thread's run would deliver. */
export async function requireChecks(
  project: Project,
  threadId: ThreadId,
  signal: AbortSignal,
): Promise<RequiredChecks> {
  const { log, checks } = project.services
  const branchId = readThread(log, threadId)?.branchId
  if (branchId === undefined) return { checks: [], output: [], problem: `There is no thread ${threadId}.` }
  const missing = findCheckProblem(project)
  if (missing !== null) return { checks: [], output: [], problem: `Nothing was delivered. ${missing}` }
  const request = { branchId, tree: null, environmentOf: branchId, on: 'apply', again: false, by: 'person' } as const
  try {
    const results = await checks.run({ ...request, names: namesOf(project) }, signal)
    if (!results.ok) return { checks: [], output: [], problem: `Nothing was delivered. ${results.error}` }
    const reported = results.value.map(({ check, outcome, exitCode }) => ({
      ...{ name: check, status: outcome, exit_code: exitCode },
    }))
    const failed = listFailed(checks.definitions(), results.value)
    return {
      checks: reported,
      problem: failed.length === 0 ? null : problemOf(failed),
      output: failed.flatMap(lastLines),
    }
  } catch (error) {
    if (!signal.aborted) throw error
    return { checks: [], output: [], problem: 'Nothing was delivered, because the checks were stopped.' }
  }
}

function namesOf({ services }: Project): readonly string[] {
  const all = services.checks.definitions()
  return all.flatMap(({ name, on, required }) =>
    required && (on.includes('apply') || on.includes('branch')) ? [name] : [],
  )
}

/** Lines of an output that are shown. */
const shownLines = 20

function problemOf(failed: readonly CheckResult[]): string {
  const named = failed.map(({ check, outcome }) => `${check} is ${outcome}`).join(', ')
  return `Nothing was delivered: ${named}. The changes are kept in the thread.`
}

function lastLines({ check, output, note }: CheckResult): readonly string[] {
  const lines = [note, ...output.trimEnd().split('\n').slice(-shownLines)]
  return lines.filter((line) => line !== '').map((line) => `${check}: ${line}`)
}
