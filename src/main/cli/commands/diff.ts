import type { FileDiff } from '#shared/contract/views/files.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import type { CommandLine } from '../arguments.ts'
import { fileLines } from '../follow/summary.ts'
import { showInPager } from '../screen/pager.ts'
import { createPaint } from '../screen/paint.ts'
import { readScreen } from '../screen/screen.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'
import { answerAboutThread, findNamedBranch, pathsOf, type ThreadPlace } from '../thread-verb.ts'

/** A change with its patch. */
interface Changes {
  readonly files: readonly FileChange[]
  /** As git prints it. */
  readonly patch: () => Promise<string>
}

/** `coppice diff`: the patch of a thread's workspace, or what merging a branch would change. */
export function diff(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const { project, thread } = place
    const [, word] = line.positionals
    const branch = word === undefined ? null : findNamedBranch(project.services.log.state, thread, word)
    const branchId = branch?.id ?? thread.branchId
    const paths = pathsOf(line)
    const { files, patch } = branch ? await ofBranch(place, branchId, paths) : await ofWorkspace(place, branchId, paths)
    if (line.flag('json')) {
      const value = { threadId: thread.id, branchId, files, patch: line.flag('stat') ? null : await patch() }
      return { value, lines: [] }
    }
    if (line.flag('stat') || files.length === 0) return { value: null, lines: fileLines(files, files.length) }
    return showPatch(line, await patch())
  })
}

async function ofWorkspace(
  { client, projectId }: ThreadPlace,
  branchId: BranchId,
  paths: VirtualPath[] | null,
): Promise<Changes> {
  const listed = await client.changes.list({ projectId, branchId })
  return {
    files: listed.filter(({ path }) => isWanted(path, paths)),
    patch: async () => (await client.changes.exportPatch({ projectId, branchId, paths })).text,
  }
}

async function ofBranch(
  { client, projectId }: ThreadPlace,
  branchId: BranchId,
  paths: VirtualPath[] | null,
): Promise<Changes> {
  const review = await client.branches.review({ projectId, branchId })
  const files = review.files.filter(({ path }) => isWanted(path, paths))
  return {
    files,
    async patch() {
      const texts: string[] = []
      for (const { path } of files) texts.push(patchText(await client.branches.diff({ projectId, branchId, path })))
      return texts.join('')
    },
  }
}

/** True for the named files, and for those below a named folder. */
function isWanted(path: string, paths: readonly string[] | null): boolean {
  return paths === null || paths.some((wanted) => wanted === '/' || path === wanted || path.startsWith(`${wanted}/`))
}

/** One file as git would print it. */
function patchText({ path, change, hunks, truncated }: FileDiff): string {
  const [before, after] = [`a${change.from ?? path}`, `b${path}`]
  const head = [
    `diff --git ${before} ${after}`,
    ...(change.kind === 'create' ? ['new file mode 100644'] : []),
    ...(change.kind === 'delete' ? ['deleted file mode 100644'] : []),
    ...(change.from === undefined ? [] : [`rename from ${change.from.slice(1)}`, `rename to ${path.slice(1)}`]),
  ]
  const sides = [
    `--- ${change.kind === 'create' ? '/dev/null' : before}`,
    `+++ ${change.kind === 'delete' ? '/dev/null' : after}`,
  ]
  const body = change.binary
    ? [`Binary files ${before} and ${after} differ`]
    : hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }, index) => [
        ...(index === 0 ? sides : []),
        `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
        ...lines,
      ])
  return `${[...head, ...body, ...(truncated ? ['\\ The rest is too long to show'] : [])].join('\n')}\n`
}

/** A program gets the patch as it is. A terminal gets colours, and a pager when the patch is longer than the screen. */
async function showPatch(line: CommandLine, patch: string): Promise<VerbAnswer> {
  const screen = readScreen(process.stdout, process.env)
  if (!process.stdout.isTTY && screen.colourDepth === 1) {
    process.stdout.write(patch)
    return { value: null, lines: [] }
  }
  const lines = patch.replace(/\n$/, '').split('\n').map(patchLine)
  const isLong = screen.isLive && lines.length >= screen.rows() && !line.flag('no-pager')
  const painted = lines.map(createPaint(screen.colourDepth)).join('\n')
  if (isLong && (await showInPager(`${painted}\n`, process.env))) return { value: null, lines: [] }
  return { value: null, lines }
}

const looks: readonly (readonly [start: string, tone: Tone])[] = [
  ['diff --git', 'strong'],
  ['+++', 'strong'],
  ['---', 'strong'],
  ['@@', 'accent'],
  ['+', 'good'],
  ['-', 'bad'],
]

function patchLine(text: string): Line {
  return lineOf(text, looks.find(([start]) => text.startsWith(start))?.[1] ?? 'plain')
}
