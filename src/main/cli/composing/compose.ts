import { checkComposition } from '#host/branches/compositions/check-composition.ts'
import type { CompositionFile, CompositionView } from '#shared/contract/views/compositions.ts'
import type { CheckResult } from '#shared/model/check.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { plural } from '#shared/text/plural.ts'
import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { deliverResult } from '../follow-run.ts'
import { printStatus } from '../print-status.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import { answerAboutThread, findAnyBranch, type ThreadPlace } from '../thread-verb.ts'
import { describeFile, fileLines, nameOf } from './describe-files.ts'
import { type ChosenFile, chooseAll, namesOf } from './read-choices.ts'

/** `coppice compose`: chooses from several branches, and stores what was chosen as one entry. */
export function compose(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const request = readRequest(line, place)
    const { client } = place
    const view = await client.compositions.read(request)
    const read = view.files.map(({ path }) => client.compositions.file({ ...request, path }))
    const files = chooseFiles(line, view, await Promise.all(read))
    const open = files.filter(({ choice }) => choice === null)
    const composed = { ...request, files: files.flatMap(chosenOf) }
    const about = {
      threadId: place.thread.id,
      into: request.into,
      files: files.map((one) => describeFile(one, view.sources)),
    }
    const shown = files.flatMap((one) => fileLines(one, view.sources))
    const isDry = line.flag('dry-run')
    if (files.length === 0)
      return {
        value: { ...about, sequence: null },
        lines: [lineOf('There is nothing to compose: the branches have no file that the result lacks.', 'dim')],
      }
    if (open.length > 0 && !isDry)
      return {
        value: { ...about, sequence: null },
        lines: [...shown, ...openLines(line, place, open)],
        code: exitCodes.interrupted,
      }
    await writePatch(line, place, composed)
    const checked = line.flag('checks') && open.length === 0 ? await runChecks(place, composed) : null
    const isRed = checked !== null && failedOf(place, checked).length > 0
    const checks =
      checked === null ? {} : { checks: checked.map(({ check, outcome, note }) => ({ name: check, outcome, note })) }
    const told = [
      ...shown,
      ...(checked ?? []).map(({ check, outcome }) =>
        lineOf(`${check}: ${outcome}`, outcome === 'green' ? 'good' : 'bad'),
      ),
    ]
    if (isDry || isRed)
      return {
        value: { ...about, ...checks, sequence: null },
        lines: [
          ...told,
          lineOf(
            isRed ? 'A required check is not green, so nothing was stored.' : 'Nothing was stored.',
            isRed ? 'bad' : 'dim',
          ),
        ],
        ...(isRed && { code: exitCodes.checks }),
      }
    const { sequence } = await client.compositions.store(composed)
    return {
      value: { ...about, ...checks, sequence },
      lines: [...told, ...storedLines(line, place, view, files.length)],
    }
  })
}

type Request = ReturnType<typeof readRequest>
type Composed = Request & { readonly files: ReturnType<typeof chosenOf> }

function readRequest(line: CommandLine, { project, projectId, thread }: ThreadPlace) {
  const { state } = project.services.log
  const into = line.text('into')
  const sources = line.positionals.slice(1).map((word): { branchId: BranchId; sequence: Sequence | null } => {
    const [, name = word, entry] = /^(.*)@(\d+)$/.exec(word) ?? []
    return { branchId: findAnyBranch(state, thread, name), sequence: entry === undefined ? null : Number(entry) }
  })
  const own = into === undefined ? thread.branchId : findAnyBranch(state, thread, into)
  const others = sources.filter(({ branchId, sequence }) => branchId !== own || sequence !== null)
  if (others.length === 0) throw new UsageError('compose needs a branch beside the one that gets the result.')
  return { projectId, into: own, sources: others }
}

function chooseFiles(line: CommandLine, { sources }: CompositionView, files: readonly CompositionFile[]) {
  const names = namesOf(sources, sources.map(nameOf))
  return chooseAll(files, { take: line.texts('take'), hunk: line.texts('hunk') }, names)
}

function chosenOf({ file: { path, fingerprint }, choice }: ChosenFile) {
  return choice === null ? [] : [{ path, fingerprint, choice }]
}

/** A stop ends the checks, and nothing is stored. */
async function runChecks({ project }: ThreadPlace, composed: Composed): Promise<readonly CheckResult[]> {
  const stopping = new AbortController()
  using _stop = terminal().onStop(() => stopping.abort())
  const ran = await checkComposition(project, composed, { names: null, again: false }, stopping.signal)
  if (!ran.ok) throw new Error(ran.error)
  if (ran.value.length === 0) printStatus('No check is set for merges of this project, so none ran.')
  return ran.value
}

function failedOf({ project }: ThreadPlace, checked: readonly CheckResult[]): readonly CheckResult[] {
  const required = new Set(project.checks.runs.definitions().flatMap((one) => (one.required ? [one.name] : [])))
  return checked.filter(({ check, outcome }) => required.has(check) && outcome !== 'green')
}

async function writePatch(line: CommandLine, { client, project }: ThreadPlace, composed: Composed): Promise<void> {
  const file = line.text('patch')
  if (file === undefined) return
  if (file === '-' && line.flag('json'))
    throw new UsageError('--json and --patch - would both write to standard output.')
  const { base64 } = await client.compositions.exportPatch(composed)
  await deliverResult(file, Buffer.from(base64, 'base64'), project.rootFolder)
}

function openLines(line: CommandLine, { thread }: ThreadPlace, open: readonly ChosenFile[]): readonly Line[] {
  const [first] = open
  const hunk = first?.picks.indexOf(null) ?? -1
  const path = first?.file.path.slice(1) ?? ''
  const flag = hunk < 0 ? `--take ${path}=BRANCH` : `--hunk ${path}:${hunk + 1}=BRANCH`
  return [
    lineOf(
      `${plural(open.length, 'file waits', 'files wait')} for a choice, so nothing was stored. Say which, for instance:`,
      'warn',
    ),
    lineOf(
      `  coppice compose ${[thread.id.slice(0, 8), ...line.positionals.slice(1), flag].join(' ')}${placeFlags(line)}`,
      'accent',
    ),
  ]
}

function storedLines(
  line: CommandLine,
  { thread }: ThreadPlace,
  { sources }: CompositionView,
  files: number,
): readonly Line[] {
  const names = sources.slice(0, -1).map(nameOf).join(', ')
  const into = nameOf(sources.at(-1))
  return [
    lineOf(`Composed ${plural(files, 'file', 'files')} of ${names} into ${into}.`, 'good'),
    lineOf(`  coppice undo ${thread.id.slice(0, 8)}${placeFlags(line)}`, 'accent'),
  ]
}
