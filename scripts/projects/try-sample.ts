import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { type Answer, byTask, type Call } from '../../e2e/model-server/scenario.ts'
import { coppice, type RunEvent } from '../../e2e/support/coppice.ts'
import {
  certificates,
  commitAll,
  differences,
  hashesOf,
  left,
  missingProgram,
  type Sample,
  shell,
  tracked,
} from './sample.ts'

/** What came of a project. */
export interface Row {
  readonly name: string
  /** Why it was not tried, or null. */
  readonly skipped: string | null
  readonly files: number
  /** What its own tests said, and the milliseconds that they took. */
  readonly bare: Tests
  readonly view: Tests
  /** Each law with its answer, in the order of the columns of the table. */
  readonly laws: Readonly<Record<Law, boolean>>
  /** What to look at where a law does not hold. */
  readonly trouble: string
}
interface Tests {
  readonly result: string
  readonly milliseconds: number
}
export const laws = ['own tests', 'three forks', 'patch', 'folder untouched', 'kept'] as const
export type Law = (typeof laws)[number]

const forks = ['part0', 'part1', 'part2']
/** Seconds for one run of a project's tests. */
const timeout = 900
const execute = (command: string, more: object = {}): Call => ({
  name: 'execute',
  input: { command, timeout, ...more },
})
const write = (file_path: string, content: string): Call => ({ name: 'write_file', input: { file_path, content } })
const testsIn = (text: string): string => /tests: (.*)/.exec(text)?.[1]?.trim() ?? 'none'
const textOf = ({ result }: RunEvent): string =>
  (result as { content: { text?: string }[] }).content.map(({ text = '' }) => text).join('')

/** A process that ends when it is asked to, for projects that have no service of their own. */
const standIn: NonNullable<Sample['service']> = {
  start: `trap 'echo ended >> ${left}/process.txt; exit 0' TERM
echo began > ${left}/process.txt; echo ready; while :; do sleep 0.1; done`,
  use: 'true',
  look: `grep -q began ${left}/process.txt && grep -q ended ${left}/process.txt`,
}

/** What the agent does before a person commits, and after it. Each part ends with a reply without a call. */
function replies(sample: Sample, hasGit: boolean): Readonly<Record<string, readonly Answer[]>> {
  const edits = [
    `echo >> '${sample.edited}'`,
    `echo second >> ${tracked}`,
    `mkdir -p ${left} && echo agent > ${left}/agent.txt`,
    ...(hasGit ? [`echo 'agent of both' > ${left}/both.txt`] : []),
    ...(hasGit ? ['git branch of-agent $(git commit-tree -m of-agent "HEAD^{tree}")'] : []),
  ]
  const { start, use, look } = sample.service ?? standIn
  const before = [
    // The first command waits for the setup, so that the time of the second one is that of the tests.
    execute('true'),
    execute(sample.test),
    execute(edits.join(' && ')),
    write('/smoke-new.txt', 'new\n'),
    execute(start, { background: true }),
    execute(use),
    { name: 'process_stop', input: { id: 'process_0' } },
    { name: 'spawn_subagents', input: { tasks: forks.map((name) => ({ task: name, name })) } },
    ...forks.map((_, index) => ({ name: 'merge_subagent', input: { handle: `subagent_${index}` } })),
  ]
  const answers = `${look} && echo service; cat ${left}/*.txt smoke-person.txt`
  const history = hasGit ? `; cat ~/kept/*/${left}/both.txt; git log --all --format=%s` : ''
  return {
    ...Object.fromEntries(
      forks.map((name) => [
        name,
        [{ calls: [write(`/smoke-${name}.txt`, `${name}\n`)] }, { calls: [execute(sample.test)] }],
      ]),
    ),
    main: [
      ...before.map((call) => ({ calls: [call] })),
      { text: 'done' },
      { calls: [execute(`${answers}${history}`)] },
    ],
  }
}

/** The paths that the patch must hold, and no other. Without git nothing is ignored. */
function expectedIn({ edited }: Sample, hasGit: boolean): readonly string[] {
  const ofAgents = [edited, tracked, 'smoke-new.txt', ...forks.map((name) => `smoke-${name}.txt`)]
  return [...ofAgents, ...(hasGit ? [] : [`${left}/agent.txt`, `${left}/process.txt`])].sort()
}

/** What stays of both where each of them wrote: commits, and the two versions of one ignored file. */
const ofBoth = ['of-agent', 'of-person', 'agent of both', 'person of both']

/** What is wrong with a patch for a plain clone of the folder, or ''. Without git, a copy becomes a repository. */
function faultOfPatch(sample: Sample, project: string, scratch: string): string {
  const [clone, patch, hasGit] = [
    join(scratch, 'clone'),
    join(scratch, 'first.patch'),
    existsSync(join(project, '.git')),
  ]
  if (!existsSync(patch)) return 'no patch was written'
  if (hasGit) shell(project, `GIT_LFS_SKIP_SMUDGE=1 git clone -q --no-hardlinks . '${clone}'`)
  else {
    shell(scratch, 'cp -a bare clone')
    commitAll(clone)
  }
  try {
    shell(clone, `GIT_LFS_SKIP_SMUDGE=1 git apply --index '${patch}'`)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const paths = shell(clone, 'git -c core.quotePath=false diff --cached --name-only').trim().split('\n').sort()
  if (paths.join() !== expectedIn(sample, hasGit).join()) return `the patch changes ${paths.join(', ')}`
  const [edited, added] = [sample.edited, tracked].map((path) => shell(clone, `git show ':${path}'`))
  const isWhole = (sample.stored ?? /\n\r?\n$/).test(edited ?? '') && added === 'first\nsecond\n'
  return isWhole ? '' : 'the patch misses an edit'
}

/** What a person does in the folder while the thread rests: a commit, a file beside those of the agent, and one in place of one. */
function workAsPerson(project: string, hasGit: boolean): void {
  writeFileSync(join(project, 'smoke-person.txt'), 'person\n')
  mkdirSync(join(project, left), { recursive: true })
  writeFileSync(join(project, left, 'person.txt'), 'person beside\n')
  if (!hasGit) return
  writeFileSync(join(project, left, 'both.txt'), 'person of both\n')
  shell(project, 'git add smoke-person.txt && git commit -q -m of-person')
}

/** Runs the tests of a plain copy of the folder. */
function testBare(sample: Sample, project: string, copy: string): Tests {
  shell(project, `cp -a . '${copy}'`)
  if (sample.setup) shell(copy, sample.setup)
  const started = performance.now()
  const result = testsIn(shell(copy, sample.test))
  return { result, milliseconds: performance.now() - started }
}

/** Tries Coppice on one project, in a folder that is removed at the end. */
export async function trySample(sample: Sample): Promise<Row> {
  const scratch = mkdtempSync(join(tmpdir(), 'coppice-smoke-projects-'))
  try {
    const missing = missingProgram(sample.needs)
    if (missing !== null) return skippedRow(sample, `${missing} is not installed`)
    const project = join(scratch, 'project')
    mkdirSync(project)
    const written = reasonOf(() => sample.write(project))
    if (written !== null) return skippedRow(sample, `its sources cannot be had: ${written}`)
    let bare: Tests | undefined
    const tested = reasonOf(() => {
      bare = testBare(sample, project, join(scratch, 'bare'))
    })
    if (!bare || tested !== null) return skippedRow(sample, `it cannot be set up here, without Coppice: ${tested}`)
    return await tryFolder(sample, scratch, project, bare)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Why this does not succeed, in one line, or null. */
function reasonOf(act: () => void): string | null {
  try {
    act()
    return null
  } catch (error) {
    const lines = String(error instanceof Error ? error.message : error)
      .trim()
      .split('\n')
    return (lines.find((line) => /^.{0,20}(error|could not|no )/i.test(line)) ?? lines.at(-1) ?? '').trim()
  }
}

function skippedRow({ name }: Sample, skipped: string): Row {
  const none = { result: '', milliseconds: 0 }
  const passed = Object.fromEntries(laws.map((law) => [law, true])) as Record<Law, boolean>
  return { name, skipped, files: 0, bare: none, view: none, laws: passed, trouble: '' }
}

async function tryFolder(sample: Sample, scratch: string, project: string, bare: Tests): Promise<Row> {
  const hasGit = existsSync(join(project, '.git'))
  const files = Number(shell(project, 'find . -path ./.git -prune -o -type f -print | wc -l'))
  await using server = await startModelServer(byTask(replies(sample, hasGit)))
  const access = { ...certificates, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const options = ['--json', '--approve', 'all', '--data-dir', join(scratch, 'data'), '--setup', sample.setup ?? 'none']
  const run = ['run', project, ...options, ...(sample.hosts ?? []).flatMap((host) => ['--allow-host', host])]

  const atFirst = hashesOf(project)
  const begun = await coppice([...run, '--task', 'main', '--patch', join(scratch, 'first.patch')], access)
  const touched = differences(atFirst, hashesOf(project))
  workAsPerson(project, hasGit)
  const atSecond = hashesOf(project)
  const [{ threadId = '' } = {}] = begun.events
  const resumed = await coppice([...run, '--task', 'look', '--thread', threadId], access)
  touched.push(...differences(atSecond, hashesOf(project)))

  const executed = begun.events.filter(({ type, name }) => type === 'tool.finished' && name === 'execute')
  const tests = executed.filter((event) => textOf(event).includes('tests: '))
  const ofThread = (event: RunEvent) => event.threadId === threadId
  const own = tests.find(ofThread)
  const inForks = tests.filter((event) => !ofThread(event)).map((event) => testsIn(textOf(event)))
  const view = { result: own ? testsIn(textOf(own)) : 'none', milliseconds: Number(own?.durationMs ?? 0) }
  const looks = resumed.events.filter(({ type }) => type === 'tool.finished').map(textOf)
  const seen = looks.at(-1) ?? ''
  const due = ['agent', 'service', 'person beside', 'person', ...(hasGit ? ofBoth : [])]
  const gone = due.filter((line) => !seen.split('\n').includes(line))
  const fault = faultOfPatch(sample, project, scratch)
  return {
    name: sample.name,
    skipped: null,
    files,
    bare,
    view,
    laws: {
      'own tests': bare.result === view.result && bare.result !== 'none',
      'three forks': inForks.length === forks.length && inForks.every((result) => result === bare.result),
      patch: fault === '',
      'folder untouched': touched.length === 0,
      kept: gone.length === 0,
    },
    trouble: [
      inForks.some((result) => result !== bare.result) ? `forks: ${inForks.join(' | ')}` : '',
      fault,
      touched.length > 0 ? `touched: ${touched.join(', ')}` : '',
      gone.length > 0 ? `gone: ${gone.join(', ')}\n${seen}` : '',
      begun.stderr,
      resumed.stderr,
    ]
      .filter((text) => text !== '')
      .join('\n'),
  }
}
