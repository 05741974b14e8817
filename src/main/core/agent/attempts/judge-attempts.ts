import { emptyTree, identifyChanges, listChanges, type Tree } from '#overlay'
import { failure, type Result, success } from '#shared/base/result.ts'
import { type JudgedAttempt, rankAttempts, sameAsBefore, verdictOf } from '#shared/model/calls/attempts.ts'
import type { CheckResult } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { familyOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import { CheckCancelled } from '../../checks/check-runs.ts'
import { describeChange } from '../../checks/describe-change.ts'
import { sumOfUsage } from '../delegation/budgets.ts'
import type { AgentServices } from '../types/services.ts'
import { type GradedEvidence, mostGraded } from './grade-attempts.ts'

/** One attempt to look at. */
export interface Attempt {
  readonly index: number
  readonly thread: ThreadState
  readonly stopped: string | null
}

/** What was found of attempts, and what a person should know of it. */
export interface Judgement {
  readonly attempts: readonly JudgedAttempt[]
  /** In sentences. Empty for nothing. */
  readonly note: string
  /** What each check printed, by the index of the attempt. */
  readonly results: ReadonlyMap<number, readonly CheckResult[]>
}

/**
 * Runs the checks on the files of each attempt, and measures its change. All run on all attempts, whatever files a check is
 * about, or an attempt that avoids them would look better. Throws the abort reason.
 */
export async function judgeAttempts(
  services: AgentServices,
  attempts: readonly Attempt[],
  names: readonly string[],
  options: { readonly by: 'person' | 'agent'; readonly signal: AbortSignal },
): Promise<Judgement> {
  const sides = attempts.map(({ thread }) => sidesOf(services, thread.branchId))
  const same = sameAsBefore(await Promise.all(sides.map((side) => identityOf(services, side))))
  const notes = new Set<string>()
  const results = new Map<number, readonly CheckResult[]>()
  const found = await Promise.all(
    attempts.map(async ({ index, thread, stopped }, place): Promise<JudgedAttempt> => {
      const { from, to } = sides[place] ?? noSides
      const size = await sizeOf(services, from, to)
      const isChanged = size.files > 0
      const checked = isChanged ? await runChecks(services, thread.branchId, to, names, options) : success([])
      if (!checked.ok) notes.add(checked.error)
      const ran = checked.ok ? checked.value : []
      results.set(index, ran)
      const outcomes = ran.map(({ check, outcome }) => ({ name: check, outcome }))
      const first = same[place] ?? null
      return {
        ...{ index, verdict: verdictOf(isChanged, outcomes), checks: outcomes },
        ...size,
        ...{ cost: costOf(services, thread), findings: null, stopped },
        same: first === null ? null : (attempts[first]?.index ?? null),
      }
    }),
  )
  if (names.length === 0)
    notes.add('The project has no checks for branches, so nothing but a reader says which attempt is good.')
  return { attempts: found, note: [...notes].join(' '), results }
}

/**
 * The judgement with a mark on each check that is green on the files that all began with: it says of an attempt that it broke
 * nothing, and no more. Throws the abort reason.
 */
export async function markGreenBefore(
  services: AgentServices,
  judgement: Judgement,
  first: ThreadState | undefined,
  names: readonly string[],
  options: { readonly by: 'person' | 'agent'; readonly signal: AbortSignal },
): Promise<Judgement> {
  if (!first || judgement.attempts.every(({ checks }) => checks.length === 0)) return judgement
  const { from } = sidesOf(services, first.branchId)
  const ran = await runChecks(services, first.branchId, from, names, options)
  const green = new Set(ran.ok ? ran.value.flatMap(({ check, outcome }) => (outcome === 'green' ? [check] : [])) : [])
  if (green.size === 0) return judgement
  const attempts = judgement.attempts.map((one) => ({
    ...one,
    checks: one.checks.map((check) => (green.has(check.name) ? { ...check, before: true as const } : check)),
  }))
  const note = `Green before anything changed, so it says only that nothing broke: ${[...green].join(', ')}.`
  return { ...judgement, attempts, note: [judgement.note, note].filter(Boolean).join(' ') }
}

/** The checks, on exactly these files. One that cannot run because of the machine says nothing about any attempt. */
async function runChecks(
  { checks }: AgentServices,
  branchId: BranchId,
  tree: Tree,
  names: readonly string[],
  { by, signal }: { readonly by: 'person' | 'agent'; readonly signal: AbortSignal },
): Promise<Result<readonly CheckResult[], string>> {
  if (names.length === 0) return success([])
  const request = { branchId, tree, environmentOf: branchId, on: 'branch', names, again: false, by } as const
  try {
    return await checks.run(request, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof CheckCancelled)) throw error
    return failure('The checks of an attempt were cancelled, so it counts as not checked.')
  }
}

/** What an attempt and everybody below it spent, as its budget counts. Null when a price is unknown. */
function costOf({ log }: Pick<AgentServices, 'log'>, { id }: ThreadState): number | null {
  return sumOfUsage(familyOf(log.state, id)).cost
}

async function sizeOf(
  { base, blobs, textMerge }: AgentServices,
  from: Tree,
  to: Tree,
): Promise<Pick<JudgedAttempt, 'files' | 'lines'>> {
  const changes = await listChanges({ base, blobs, textMerge, from, to })
  return {
    files: changes.length,
    lines: changes.reduce((sum, { added, removed }) => sum + (added ?? 0) + (removed ?? 0), 0),
  }
}

/** Characters of all changes together, and of the end of each check's output, that a grader sees. */
const mostOfChanges = 120_000
const mostOfOutput = 1_500

/**
 * What a grader is shown: the attempts that are equal for the checks and best, if they differ and so a reader decides. Each
 * kind of files once. Empty when checks decide alone.
 */
export async function findEvidence(
  services: AgentServices,
  { attempts, results }: Judgement,
  threads: ReadonlyMap<number, ThreadState>,
): Promise<readonly GradedEvidence[]> {
  const best = attempts.filter((one) => one.verdict !== 'no change' && one.same === null)
  const leading = leadersOf(best)
  if (leading.length < 2 || leading.length > mostGraded) return []
  return Promise.all(
    leading.map(async ({ index }) => {
      const branchId = threads.get(index)?.branchId
      const { from, to } = branchId ? sidesOf(services, branchId) : noSides
      const { text } = await describeChange(services, { from, to, most: Math.floor(mostOfChanges / leading.length) })
      return { index, change: text, checks: (results.get(index) ?? []).map(describeResult).join('\n') || '(no checks)' }
    }),
  )
}

/** Those whose checks say the same as those of the best. */
function leadersOf(attempts: readonly JudgedAttempt[]): readonly JudgedAttempt[] {
  const rank = ({ verdict, checks }: JudgedAttempt) =>
    JSON.stringify([
      verdict,
      checks.filter(({ outcome }) => outcome === 'red').length,
      checks.filter(({ outcome }) => outcome === 'flaky').length,
    ])
  const [first] = rankAttempts(attempts)
  return first === undefined ? [] : attempts.filter((one) => rank(one) === rank(first))
}

interface Sides {
  readonly from: Tree
  readonly to: Tree
}
const noSides: Sides = { from: emptyTree, to: emptyTree }

function sidesOf({ log }: AgentServices, branchId: BranchId): Sides {
  return {
    from: log.trees.forkPoints.get(branchId) ?? emptyTree,
    to: log.trees.heads.get(branchId) ?? emptyTree,
  }
}

/** What was changed, in a form that is equal for equal files. All attempts begin at one tree. */
async function identityOf({ base }: AgentServices, sides: Sides): Promise<string> {
  return JSON.stringify([...(await identifyChanges({ base, ...sides }))].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function describeResult({ check, outcome, exitCode, output }: CheckResult): string {
  const end = output.length > mostOfOutput ? `… ${tailOf(output, mostOfOutput)}` : output
  return `${check}: ${outcome}${exitCode === null ? '' : `, exit code ${exitCode}`}\n${end.trimEnd()}`
}
