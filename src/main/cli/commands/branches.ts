import type { BranchLines, BranchReview, BranchSurvey } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { CheckState } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { plural } from '#shared/text/plural.ts'
import type { CommandLine } from '../arguments.ts'
import { countSpans } from '../follow/shown-line.ts'
import { type Line, lineOf, type Span, type Tone } from '../screen/spans.ts'
import { tableLines } from '../screen/table.ts'
import { answerAboutThread, branchesOf, type ThreadPlace } from '../thread-verb.ts'
import { checkWord } from './checks.ts'

/** `coppice branches`: what became of the work of each subagent. */
export function branches(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const { project, thread } = place
    const known = branchesOf(project.services.log.state, thread.id)
    const rows = await Promise.all(known.map((branch) => describeBranch(place, branch)))
    const surveys = await surveyOpen(place, known)
    const checked = await checksOf(place, rows)
    const listed = rows.map((row) => ({
      ...row,
      conflicts: surveys.get(row.branchId)?.conflicts ?? [],
      will_conflict: (surveys.get(row.branchId)?.rivals ?? []).flatMap(({ branchId, path }) => {
        const other = known.find(({ id }) => id === branchId)
        return other ? [{ branchId, handle: other.handle, name: other.name, path }] : []
      }),
      checks: checked.get(row.branchId) ?? null,
    }))
    return { value: { threadId: thread.id, branches: listed }, lines: listLines(listed) }
  })
}

/** One branch, as `--json` lists it. */
type BranchRow = Awaited<ReturnType<typeof describeBranch>> & {
  readonly conflicts: BranchSurvey['conflicts']
  /** Files of other open branches that conflict with this one, once one of the two is merged. */
  readonly will_conflict: readonly (Pick<Branch, 'handle' | 'name'> & BranchSurvey['rivals'][number])[]
  /** The worst of its checks. Null for a branch that is not open, and without checks. */
  readonly checks: CheckState | null
}

async function describeBranch({ client, project, projectId }: ThreadPlace, branch: Branch) {
  const { id: branchId, name, handle, parentId, threadId, status } = branch
  const review = await client.branches.review({ projectId, branchId })
  const { files, added, removed }: BranchLines = await client.branches.lines({ projectId, branchId })
  const agentStatus = project.family(threadId)[0]?.status ?? null
  const state = status === 'discarded' ? ('discarded' as const) : stateOf(branch, review)
  const toMerge = review.files.filter((file) => file.status !== 'identical').length
  return { branchId, handle, name, parentId, threadId, agentStatus, state, files, added, removed, toMerge }
}

function stateOf({ merges }: Branch, { closed }: BranchReview): 'merged' | 'open' | 'unchanged' {
  if (!closed) return 'open'
  return merges.some(({ undone }) => !undone) ? 'merged' : 'unchanged'
}

async function surveyOpen({ client, projectId }: ThreadPlace, known: readonly Branch[]) {
  const branchIds = known.filter(({ status }) => status === 'open').map(({ id }) => id)
  const surveys = branchIds.length === 0 ? [] : await client.branches.survey({ projectId, branchIds })
  return new Map(surveys.map((survey) => [survey.branchId, survey]))
}

async function checksOf(
  { client, projectId }: ThreadPlace,
  rows: readonly Pick<BranchRow, 'branchId' | 'state'>[],
): Promise<ReadonlyMap<BranchId, CheckState>> {
  const { checks } = await client.checks.list({ projectId })
  const branchIds = rows.flatMap(({ state, branchId }) => (state === 'open' ? [branchId] : []))
  if (checks.length === 0 || branchIds.length === 0) return new Map()
  const known = await client.checks.ofBranches({ projectId, branchIds })
  return new Map(known.map(({ branchId, state }) => [branchId, state]))
}

const tones: Readonly<Record<BranchRow['state'], Tone>> = {
  open: 'warn',
  merged: 'good',
  unchanged: 'dim',
  discarded: 'dim',
}

function listLines(rows: readonly BranchRow[]): readonly Line[] {
  if (rows.length === 0) return [lineOf('No branches: no agent of this thread started another.', 'dim')]
  const hasChecks = rows.some(({ checks }) => checks !== null)
  return tableLines(
    ['BRANCH', 'HANDLE', 'STATE', ...(hasChecks ? ['CHECKS'] : []), 'CHANGES', 'LEFT TO MERGE'],
    rows.map((row): readonly Line[] => [
      lineOf(row.name, 'strong'),
      lineOf(row.handle ?? ''),
      lineOf(row.state, tones[row.state]),
      ...(hasChecks ? [row.checks === null ? lineOf('') : checkWord(row.checks)] : []),
      [{ text: `${plural(row.files, 'file', 'files')} ` }, ...countSpans(row)],
      leftSpans(row),
    ]),
  )
}

function leftSpans({ state, toMerge, conflicts, will_conflict: rivals }: BranchRow): readonly Span[] {
  if (state !== 'open') return []
  const conflicting =
    conflicts.length === 0
      ? []
      : lineOf(` (${plural(conflicts.length, 'conflict', 'conflicts')}: ${conflicts.join(', ')})`, 'bad')
  const names = [...new Set(rivals.map(({ name }) => name))]
  const more = names.length > 2 ? ` and ${names.length - 2} more` : ''
  const coming =
    conflicts.length > 0 || names.length === 0
      ? []
      : lineOf(` (will conflict with ${names.slice(0, 2).join(', ')}${more}: ${pathsOf(rivals)})`, 'warn')
  return [{ text: plural(toMerge, 'file', 'files') }, ...conflicting, ...coming]
}

function pathsOf(rivals: BranchRow['will_conflict']): string {
  return [...new Set(rivals.map(({ path }) => path))].join(', ')
}
