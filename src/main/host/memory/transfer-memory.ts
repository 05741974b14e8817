import { unwrap } from '#core/commands/command.ts'
import { editMemory, memoryPath, writeMemories } from '#core/commands/memory.ts'
import type { MemoryTransfer, TransferRow } from '#shared/contract/views/threads.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Project } from '../project/project.ts'
import { noteTarget, readNotes, requireFolder, writeNote } from './memory-folder.ts'

/** The texts to transfer by name, and the plan that people see. */
interface Planned {
  readonly view: MemoryTransfer
  readonly contents: ReadonlyMap<string, Uint8Array>
}

interface Chosen {
  readonly folder: string
  readonly names: readonly string[]
  readonly fingerprint: string
}

/** Plans the import of a folder. Stores nothing. */
export async function planImport(project: Project, folder: string): Promise<MemoryTransfer> {
  return (await importPlan(project, folder)).view
}

/** Stores the chosen files of a plan as it was shown, all or none. */
export async function importMemory(
  project: Project,
  { folder, names, fingerprint }: Chosen,
): Promise<{ count: number }> {
  const contents = chosenOf(await importPlan(project, folder), names, fingerprint)
  const named = [...contents].map(([name, bytes]) => [unwrap(memoryPath(name)), bytes] as const)
  const { sequences } = project.run(writeMemories(project.services, named))
  return { count: sequences.length }
}

export async function planExport(project: Project, folder: string): Promise<MemoryTransfer> {
  return (await exportPlan(project, folder)).view
}

export async function exportMemory(
  project: Project,
  { folder, names, fingerprint }: Chosen,
): Promise<{ count: number }> {
  const contents = chosenOf(await exportPlan(project, folder), names, fingerprint)
  for (const [name, bytes] of contents) await writeNote(folder, name, bytes)
  return { count: contents.size }
}

async function importPlan(project: Project, folder: string): Promise<Planned> {
  const { memories } = project.services.log.state
  const editing = editMemory(project.services.log)
  const contents = new Map<string, Uint8Array>()
  const rows = (await readNotes(folder)).map((note): TransferRow => {
    const { name } = note
    if (note.bytes === null) return { name, state: 'refused', why: note.why }
    try {
      editing.write(unwrap(memoryPath(name)), note.bytes)
    } catch (error) {
      return { name, state: 'refused', why: (error as Error).message }
    }
    contents.set(name, note.bytes)
    const text = memories.get(name)?.text ?? null
    if (text === null) return { name, state: 'new', why: null }
    return { name, state: Buffer.from(note.bytes).equals(Buffer.from(text)) ? 'same' : 'changed', why: null }
  })
  return planTransfer(project, rows, contents)
}

async function exportPlan(project: Project, folder: string): Promise<Planned> {
  await requireFolder(folder)
  const contents = new Map<string, Uint8Array>()
  const rows: TransferRow[] = []
  for (const { name, text } of project.services.log.state.memories.values()) {
    if (text === null) continue
    const target = await noteTarget(folder, name, text)
    rows.push({ name, state: target.state, why: target.state === 'refused' ? target.why : null })
    contents.set(name, Buffer.from(text))
  }
  return planTransfer(
    project,
    rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    contents,
  )
}

/** `fingerprint` identifies exactly these files, their contents and their effects. */
function planTransfer({ services }: Project, files: readonly TransferRow[], contents: Planned['contents']): Planned {
  const exact = files.map((row) => [row, services.hashing.hash(contents.get(row.name) ?? new Uint8Array())])
  const fingerprint = services.hashing.hash(Buffer.from(JSON.stringify(exact)))
  return { view: { files, fingerprint }, contents }
}

function chosenOf({ view, contents }: Planned, names: readonly string[], fingerprint: string): Planned['contents'] {
  if (view.fingerprint !== fingerprint)
    throw new WireError('CONFLICT', 'The folder or the memory changed since this list was made. Look at it again.')
  const open = new Map(view.files.map((row) => [row.name, row.state]))
  const refused = names.find((name) => !['new', 'changed'].includes(open.get(name) ?? ''))
  if (refused !== undefined) throw new WireError('BAD_REQUEST', `${refused} cannot be transferred.`)
  return new Map(names.flatMap((name) => [[name, contents.get(name) ?? new Uint8Array()] as const]))
}
