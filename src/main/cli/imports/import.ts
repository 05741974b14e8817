import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createDirectClient, type DirectClient } from '#host/wiring/direct-client.ts'
import { type ImportItem, type ImportList, importKinds, importTools } from '#shared/contract/views/imports.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { shellWord } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import { answerVerb, type VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { openHost } from '../open-host.ts'
import { printStatus } from '../print-status.ts'
import { lineOf } from '../screen/spans.ts'
import { chosenIn, takesNew, type Wishes } from './choose.ts'
import { listLines, previewLines } from './show-list.ts'

/** `coppice import`: what other tools have, and what a person chooses of it. */
export function importDefinitions(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    const wishes = readWishes(line)
    const folder = resolve(line.text('folder') ?? '.')
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`import: there is no folder ${folder}.`)
    await using host = await openHost(line, 'cli')
    const project = await host.projects.open(folder)
    const projectId = project.info().id
    if (line.flag('trust')) host.projects.setTrusted(projectId, true)
    const client = createDirectClient(host)
    if (line.flag('undo')) return await undo(client, projectId)
    const list = await client.imports.find({ projectId })
    return await answerWith(line, { client, projectId }, wishes, list)
  })
}

/** A folder is easily taken for the first word, as it is one of other verbs. */
function aboutWord(word: string): string {
  const isFolder = /[\\/]|^\.+$/.test(word) || statSync(word, { throwIfNoEntry: false })?.isDirectory() === true
  const more = isFolder ? ` A folder follows -C: coppice import -C ${shellWord(word)}` : ''
  return `import: ${word} is none of ${importTools.join(', ')}.${more}`
}

function readWishes(line: CommandLine): Wishes {
  const tools = line.positionals.map((word) => {
    const found = importTools.find((tool) => tool === word)
    if (found === undefined) throw new UsageError(aboutWord(word))
    return found
  })
  const only = line.texts('only').map((text) => {
    const [word = ''] = text.split(':', 1)
    const kind = importKinds.find((one) => one === word)
    if (kind === undefined)
      throw new UsageError(`--only: ${JSON.stringify(word)} is none of ${importKinds.join(', ')}.`)
    return { kind, name: text.length > word.length ? text.slice(word.length + 1) : null }
  })
  const all = line.flag('all')
  if (all && only.length > 0) throw new UsageError('--all takes everything that is new. Leave it or --only out.')
  if (line.flag('undo') && (all || only.length > 0 || tools.length > 0 || line.flag('dry-run')))
    throw new UsageError('--undo takes the whole latest import back. Leave the rest out.')
  return { tools, all, only }
}

interface Place {
  readonly client: DirectClient
  readonly projectId: ProjectId
}

async function answerWith(line: CommandLine, place: Place, wishes: Wishes, list: ImportList): Promise<VerbAnswer> {
  for (const problem of list.problems) printStatus(problem)
  if (list.folder === 'untrusted')
    printStatus('The folder is not trusted, so its files were not read. --trust trusts it.')
  const shown = list.items.filter(({ tool }) => wishes.tools.length === 0 || wishes.tools.includes(tool))
  if (!wishes.all && wishes.only.length === 0)
    return {
      value: { ...list, items: shown },
      lines: [...listLines(shown), ...(shown.length === 0 ? [] : nextLines(shown))],
    }
  const { chosen, notes } = chosenIn(shown, wishes)
  for (const note of notes) printStatus(note)
  if (chosen.length === 0) return { value: { written: [] }, lines: [lineOf('There is nothing new to take.')] }
  if (line.flag('dry-run')) return { value: { items: chosen }, lines: chosen.flatMap(previewLines) }
  const ids = chosen.map(({ id }) => id)
  const { id, written } = await place.client.imports.take({
    projectId: place.projectId,
    ids,
    fingerprint: list.fingerprint,
  })
  const said = chosen.flatMap((item) => item.notes.map((note) => lineOf(`${item.name}: ${note}`, 'warn')))
  const count = plural(written.length, 'definition', 'definitions')
  return {
    value: { id, taken: ids, written },
    lines: [
      ...written.map((one) => lineOf(one)),
      ...said,
      lineOf(`Took ${count}. coppice import --undo takes ${written.length === 1 ? 'it' : 'them'} back.`, 'good'),
    ],
  }
}

function nextLines(shown: readonly ImportItem[]) {
  const open = shown.filter(takesNew)
  if (open.length === 0) return [lineOf('There is nothing new to take.', 'dim')]
  const [first] = open
  const only = first === undefined ? '' : shellWord(`${first.kind}:${first.name}`)
  return [
    lineOf(
      `Nothing was taken. Take all that is new with --all, or some of it: --only ${only}. --dry-run shows what would be written.`,
      'dim',
    ),
  ]
}

async function undo(client: DirectClient, projectId: ProjectId): Promise<VerbAnswer> {
  const { undo: latest } = await client.imports.find({ projectId })
  if (latest === null) return { value: { restored: [], kept: [] }, lines: [lineOf('There is no import to undo.')] }
  const undone = await client.imports.undo({ projectId, id: latest.id })
  return {
    value: undone,
    lines: [
      ...undone.restored.map((one) => lineOf(one)),
      ...undone.kept.map((one) => lineOf(one, 'warn')),
      lineOf('The import was taken back.', 'good'),
    ],
    code: exitCodes.done,
  }
}
