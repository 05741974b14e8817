import { findLeftInGit } from '#host/changes/left-in-git.ts'
import { findCommits } from '#host/headless/run-report.ts'
import type { PatchExport } from '#shared/contract/views/branches.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import type { CommandLine } from '../arguments.ts'
import { commitLines, commitNotes, fileLines, patchNotes } from '../follow/summary.ts'
import { printStatus } from '../print-status.ts'
import { showInPager } from '../screen/pager.ts'
import { createPaint } from '../screen/paint.ts'
import { readScreen } from '../screen/screen.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import { answerAboutThread, findNamedBranch, pathsOf, type ThreadPlace } from '../thread-verb.ts'

/** A change with its patch. */
interface Changes {
  readonly files: readonly FileChange[]
  readonly patch: () => Promise<PatchExport>
}

/** `coppice diff`: the patch of a thread's workspace, or what a branch changed since its fork. */
export function diff(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const { project, thread } = place
    const [, word] = line.positionals
    const branch = word === undefined ? null : findNamedBranch(project.services.log.state, thread, word)
    const branchId = branch?.id ?? thread.branchId
    const paths = pathsOf(line)
    const { files, patch } = branch ? await ofBranch(place, branchId, paths) : await ofWorkspace(place, branchId, paths)
    const left = await findLeftInGit(project, branchId)
    const commits = branch ? left.commits : await findCommits(project, thread.id)
    const repositories = left.repositories.filter((folder) => files.some(({ path }) => isWanted(path, [folder])))
    if (line.flag('json')) {
      const text = line.flag('stat') ? null : (await patch()).text
      return { value: { threadId: thread.id, branchId, files, repositories, patch: text, commits }, lines: [] }
    }
    if (line.flag('stat') || files.length === 0)
      return {
        value: null,
        lines: [...fileLines(files, repositories, Number.POSITIVE_INFINITY), ...commitLines(commits)],
      }
    return showPatch(line, await patch(), commitNotes(commits))
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
    patch: () => client.changes.exportPatch({ projectId, branchId, paths }),
  }
}

async function ofBranch(
  { client, projectId }: ThreadPlace,
  branchId: BranchId,
  paths: VirtualPath[] | null,
): Promise<Changes> {
  const { changes, patch } = await client.branches.exportPatch({ projectId, branchId, paths })
  return { files: changes, patch: async () => patch }
}

/** True for the named files, and for those below a named folder. */
function isWanted(path: string, paths: readonly string[] | null): boolean {
  return paths === null || paths.some((wanted) => wanted === '/' || path === wanted || path.startsWith(`${wanted}/`))
}

/** A program gets the patch as it is. A terminal gets colours, and a pager when the patch is longer than the screen. */
async function showPatch(line: CommandLine, patch: PatchExport, commits: readonly string[]): Promise<VerbAnswer> {
  const { base64, text } = patch
  for (const note of [...patchNotes(patch), ...commits]) printStatus(note)
  const { output, environment } = terminal()
  const screen = readScreen(output, environment)
  if (!output.isTTY && screen.colourDepth === 1) {
    output.write(Buffer.from(base64, 'base64'))
    return { value: null, lines: [] }
  }
  const lines = text.replace(/\n$/, '').split('\n').map(patchLine)
  const isLong = screen.isLive && lines.length >= screen.rows() && !line.flag('no-pager')
  const painted = lines.map(createPaint(screen.colourDepth)).join('\n')
  if (isLong && (await showInPager(`${painted}\n`))) return { value: null, lines: [] }
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
