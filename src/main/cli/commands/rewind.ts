import type { RewindPreview } from '#shared/contract/views/branches.ts'
import { type CheckpointRow, checkpointRows } from '#shared/model/derived/checkpoints.ts'
import { textOf } from '#shared/model/message.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { formatAgo } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'
import { firstLine } from '#shared/tools/tool-labels.ts'
import { printLines, type VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { confirm } from '../screen/confirm.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { tableLines } from '../screen/table.ts'
import { answerAboutThread, type ThreadPlace } from '../thread-verb.ts'

/** The list looks into so many checkpoints, latest first. */
const mostListed = 30

/** `coppice rewind`: lists checkpoints, or goes back to one. */
export function rewind(line: CommandLine): Promise<number> {
  return answerAboutThread(line, (place) => {
    const [, word] = line.positionals
    return word === undefined ? listCheckpoints(line, place) : rewindTo(line, place, checkpointOf(place, word))
  })
}

async function listCheckpoints(
  line: CommandLine,
  { client, project, projectId, thread }: ThreadPlace,
): Promise<VerbAnswer> {
  const wanted = rowsOf({ project, thread })
    .filter(({ main }) => main || line.flag('every'))
    .toReversed()
    .slice(0, mostListed)
  const listed: { readonly row: CheckpointRow; readonly preview: RewindPreview }[] = []
  for (const row of wanted)
    listed.push({ row, preview: await client.rewind.preview({ projectId, threadId: thread.id, to: row.to }) })
  const now = project.services.clock.now()
  return {
    value: {
      threadId: thread.id,
      checkpoints: listed.map(({ row, preview }) => ({
        to: row.to,
        at: row.at,
        label: labelOf(row),
        takesBack: preview,
      })),
    },
    lines:
      listed.length === 0
        ? [lineOf('There is nothing to go back to yet.', 'dim')]
        : tableLines(
            ['TO', 'AGE', 'TAKES BACK', 'CHECKPOINT'],
            listed.map(({ row, preview }) => [
              lineOf(String(row.to), 'accent'),
              lineOf(formatAgo(row.at, now), 'dim'),
              lineOf(shortEffect(preview)),
              lineOf(labelOf(row)),
            ]),
          ),
  }
}

function rowsOf({ project, thread }: Pick<ThreadPlace, 'project' | 'thread'>): readonly CheckpointRow[] {
  const past = project.services.log.state.past.threads.get(thread.id)
  return past ? checkpointRows(past) : []
}

function checkpointOf(place: ThreadPlace, word: string): number {
  const { thread } = place
  const to = Number(word)
  if (rowsOf(place).some((row) => row.to === to)) return to
  throw new UsageError(`There is no checkpoint ${word}. "coppice rewind ${thread.id.slice(0, 8)} --every" lists them.`)
}

async function rewindTo(
  line: CommandLine,
  { client, projectId, thread }: ThreadPlace,
  to: number,
): Promise<VerbAnswer> {
  const one = line.flag('files') !== line.flag('conversation')
  const [files, conversation] = one ? [line.flag('files'), line.flag('conversation')] : [true, true]
  const preview = await client.rewind.preview({ projectId, threadId: thread.id, to })
  const lines = effectLines(preview, { files, conversation })
  if (!line.flag('yes')) {
    if (!line.flag('json')) printLines([lineOf(`Rewinding to ${to} would change:`, 'strong'), ...lines])
    const answer = line.flag('json') ? null : await confirm('Rewind? y yes · n no ')
    if (answer === null)
      throw Object.assign(new Error('A rewind asks first. Without a terminal, add --yes.'), { code: 'CONFIRM' })
    const code = answer === 'stopped' ? exitCodes.stopped : exitCodes.interrupted
    if (answer !== 'yes') return { value: {}, lines: [lineOf('Nothing was changed.', 'dim')], code }
  }
  const { sequence } = await client.rewind.to({ projectId, threadId: thread.id, to, files, conversation })
  return {
    value: { threadId: thread.id, to, files, conversation, sequence, takenBack: preview },
    lines: [
      lineOf(`Rewound to ${to}.`, 'good'),
      lineOf(`  coppice undo ${thread.id.slice(0, 8)}${placeFlags(line)}`, 'accent'),
      ...stayingLines(files ? preview.applied : [], { id: thread.id.slice(0, 8), flags: placeFlags(line), to }),
    ],
  }
}

/** Names that are shown; the others are counted. */
const mostNamed = 10

function namesOf(paths: readonly string[]): string {
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  return `${paths.slice(0, mostNamed).map(shownName).join(', ')}${more}`
}

/** A rewind never touches the folder, so what was applied since its checkpoint is still there. */
function stayingLines(
  applied: readonly string[],
  { id, flags, to }: { readonly id: string; readonly flags: string; readonly to: number },
): readonly Line[] {
  if (applied.length === 0) return []
  return [
    lineOf(`Stays in the folder, because it was applied since: ${namesOf(applied)}`),
    lineOf('To take it off the folder as well, undo the rewind and the apply, then rewind again:', 'dim'),
    ...[`undo ${id}`, `undo ${id}`, `rewind ${id} ${to} --yes`].map((verb) =>
      lineOf(`  coppice ${verb}${flags}`, 'accent'),
    ),
  ]
}

function labelOf({ mark, changed, main }: CheckpointRow): string {
  switch (mark.kind) {
    case 'message':
      return `before “${firstLine(textOf(mark.message.content)) || 'a picture'}”`
    case 'step':
      return changed.length > 0
        ? `${plural(changed.length, 'file', 'files')} written`
        : main
          ? 'files merged'
          : 'a step'
    case 'end':
      return 'the run ended'
    case 'before_rewind':
      return 'as it was before a rewind'
    case 'rewind':
      return 'after a rewind'
  }
}

function shortEffect({ branches, messages, leaving }: RewindPreview): string {
  const files = branches.reduce((sum, { changes }) => sum + changes.length, 0)
  const parts = [
    ...(files > 0 ? [plural(files, 'file', 'files')] : []),
    ...(messages.leaving > 0 ? [plural(messages.leaving, 'message', 'messages')] : []),
    ...(leaving.length > 0 ? [plural(leaving.length, 'agent', 'agents')] : []),
  ]
  return parts.join(', ') || 'nothing'
}

function effectLines(
  { branches, messages, approvals, leaving, returning, applied, running }: RewindPreview,
  scope: { readonly files: boolean; readonly conversation: boolean },
): readonly Line[] {
  const files = branches.filter(({ changes }) => changes.length > 0)
  const lines = [
    ...(scope.files
      ? files.map(({ agent, changes }) => `${agent ?? 'workspace'}: ${changes.map(({ path }) => path).join(', ')}`)
      : []),
    ...(scope.conversation && messages.leaving > 0
      ? [`${plural(messages.leaving, 'message', 'messages')} would leave the conversation`]
      : []),
    ...(approvals > 0 ? [`${plural(approvals, 'approval', 'approvals')} would no longer wait`] : []),
    ...(leaving.length > 0 ? [`would disappear, because they started later: ${leaving.join(', ')}`] : []),
    ...(returning.length > 0 ? [`would come back: ${returning.join(', ')}`] : []),
    ...(applied.length > 0
      ? [
          `stays in the folder, because it was applied since: ${namesOf(applied)}`,
          'to take that off the folder as well, undo the apply before the rewind: coppice undo',
        ]
      : []),
    ...(running ? ['the agent works and is stopped first'] : []),
  ]
  return (lines.length === 0 ? ['nothing'] : lines).map((text) => lineOf(`  ${text}`))
}
