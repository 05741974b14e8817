import { findEditor } from '#host/checkouts/find-editor.ts'
import type { MadeCheckout } from '#shared/contract/views/checkouts.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { shellWord } from '#shared/text/control-characters.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printStatus } from '../print-status.ts'
import { lineOf } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import { answerAboutThread, findAnyBranch, type ThreadPlace } from '../thread-verb.ts'
import { choicesOf, closing, takenAnswer } from './take-back.ts'

/** `coppice open-branch`: opens a branch as a folder in the person's editor, and follows it until that ends. */
export function openBranch(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    requireSense(line)
    const { project, thread, client, projectId } = place
    const word = line.positionals[1]
    const branchId = word === undefined ? thread.branchId : findAnyBranch(project.services.log.state, thread, word)
    if (line.flag('close')) return close(line, place, branchId)
    const made = await client.checkouts.open({ projectId, branchId })
    const { checkoutId, folder } = made
    const value = { threadId: thread.id, branchId, checkoutId, folder }
    if (line.flag('print')) return { value, lines: [lineOf(folder)] }
    const { problem, goesOn } = await edit(line, place, made)
    const answer = await close(line, place, branchId)
    if (goesOn) leaveSoon(answer.code ?? exitCodes.done)
    if (problem === null) return answer
    return { ...answer, lines: [...answer.lines, lineOf(problem, 'bad')], code: exitCodes.failed }
  })
}

function requireSense(line: CommandLine): void {
  if (line.flag('close') && (line.flag('print') || line.text('editor') !== undefined))
    throw new UsageError('--close opens nothing. Leave --print and --editor out.')
  if (line.flag('print') && line.text('editor') !== undefined)
    throw new UsageError('--print starts no editor. Leave --editor out, or --print.')
  if (line.flag('force') && !line.flag('close'))
    throw new UsageError('--force is about --close. Add that, or leave it out.')
}

/** An editor that goes on after Ctrl+C keeps this process no longer than its last words take. */
function leaveSoon(code: number): void {
  const { leave } = terminal()
  setTimeout(() => leave(code), lastWordsMs).unref()
}

const lastWordsMs = 1_000

interface Edited {
  /** What was wrong with the editor, as a sentence. Null for nothing. */
  readonly problem: string | null
  /** Whether the program of the editor still runs. */
  readonly goesOn: boolean
}

/** Resolves when the editor has ended, or when the person stops this verb. */
async function edit(line: CommandLine, { host, project }: ThreadPlace, { folder }: MadeCheckout): Promise<Edited> {
  const wish = { folder, rootFolder: project.rootFolder, editor: line.text('editor') ?? null }
  const found = findEditor(host, wish, terminal().environment)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'stopped'>()
  using _stops = terminal().onStop(() => stop('stopped'))
  printStatus(`Opening ${folder}. What you save there is on the branch. Ctrl+C ends it.`)
  const shown = 'line' in found ? found.line.map(shellWord).join(' ') : `${found.shellLine} ${shellWord(folder)}`
  const end = await Promise.race([terminal().show({ line: shown, environment: {} }), stopped])
  if (end === 'stopped') return { problem: null, goesOn: true }
  if ('why' in end || end.code !== 0) {
    const how = 'why' in end ? end.why : `ended with code ${end.code}`
    return { problem: `The editor (${shown}) ${how}. Choose another one with --editor NAME.`, goesOn: false }
  }
  if (!('line' in found) || found.waits) return { problem: null, goesOn: false }
  printStatus('This editor does not say when you have finished. Press Ctrl+C then.')
  await stopped
  return { problem: null, goesOn: false }
}

async function close(line: CommandLine, place: ThreadPlace, branchId: BranchId): Promise<VerbAnswer> {
  const { client, projectId, thread } = place
  const known = await client.checkouts.list({ projectId, branchId })
  const found = known.find((one) => one.kind === 'editor' && one.branchId === branchId)
  if (!found) throw new WireError('NOT_FOUND', 'This branch is not open as a folder.')
  const named = { projectId, branchId, checkoutId: found.id, choices: choicesOf(line) }
  const word = line.positionals[1]
  const which = word === undefined ? '' : ` ${shellWord(word)}`
  const again = `coppice open-branch ${thread.id.slice(0, 8)}${which} --close${placeFlags(line)}`
  const taken = await closing(() => client.checkouts.close({ ...named, loses: line.flag('force') }), again)
  return takenAnswer(place, { branchId, folder: found.folder, taken, removed: true, again })
}
