import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { editedSettings } from '#adapters/settings/settings-file.ts'
import { unwrap } from '#core/commands/command.ts'
import { memoryPath, writeMemories } from '#core/commands/memory.ts'
import type { ImportReceipt } from '#shared/contract/views/imports.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'
import { openMcpTrust } from '../mcp/mcp-trust.ts'
import type { Project } from '../project/project.ts'
import type { Planned, Write } from './compare.ts'
import { findImports } from './find.ts'
import { instructionsFile, type Present } from './present.ts'
import { type Receipt, readReceipts, receiptView, writeReceipts, writeText } from './receipts.ts'
import { takeBack } from './undo.ts'

type Parts = Pick<HostParts, 'options' | 'settings'>

interface Chosen {
  readonly ids: readonly string[]
  readonly fingerprint: string
}

/** Takes over the chosen items of a list as it was shown, all or none. */
export async function takeImports(parts: Parts, project: Project | null, chosen: Chosen): Promise<ImportReceipt> {
  const { planned, list, present } = await findImports(parts, project)
  if (list.fingerprint !== chosen.fingerprint)
    throw new WireError('CONFLICT', 'What is there changed since this list was made. Look at it again.')
  const taken = chosenOf(planned, chosen.ids)
  const receipt = receiptOf(taken, present, project)
  const { dataFolder } = parts.options
  try {
    await writeReceipts(dataFolder, [...readReceipts(dataFolder), receipt])
    await carryOut(parts, project, receipt)
  } catch (error) {
    await takeBack(parts, project, receipt).catch(() => undefined)
    throw new WireError('REFUSED', `Nothing was taken: ${error instanceof Error ? error.message : String(error)}`)
  }
  return receiptView(receipt)
}

function chosenOf(planned: readonly Planned[], ids: readonly string[]): readonly Planned[] {
  const byId = new Map(planned.map((one) => [one.item.id, one]))
  const targets = new Set<string>()
  return [...new Set(ids)].map((id) => {
    const found = byId.get(id)
    if (found === undefined || found.writes.length === 0) throw new WireError('BAD_REQUEST', `${id} cannot be taken.`)
    const { kind, target, name } = found.item
    if (targets.has(`${kind} ${target}`))
      throw new WireError('BAD_REQUEST', `Two of the chosen would be ${target}. Choose one of them (${name}).`)
    targets.add(`${kind} ${target}`)
    return found
  })
}

/** What carrying out would write, and what an undo would restore. */
function receiptOf(taken: readonly Planned[], present: Present, project: Project | null): Receipt {
  const writes = taken.flatMap((one) => one.writes)
  const files = writesOf(writes, 'file').map(({ path, text }) => ({
    path,
    before: present.file(path) ?? null,
    after: text,
  }))
  const memories = writesOf(writes, 'memory').map(({ name, text }) => ({
    name,
    before: present.memory?.(name) ?? null,
    after: text,
  }))
  return {
    ...{ id: randomUUID(), at: Date.now(), files, memories },
    written: taken.map(({ item }) => item.target),
    settings: settingsStep(writesOf(writes, 'setting'), present),
    instructions: instructionsStep(writesOf(writes, 'block'), present),
    folders: missingFolders(
      files.map(({ path }) => path),
      present.dataFolder,
    ),
    project: memories.length > 0 ? (project?.rootFolder ?? null) : null,
    hooks: writesOf(writes, 'setting').flatMap(({ hook }) => hook ?? []),
  }
}

type WriteTo<To extends Write['to']> = Extract<Write, { readonly to: To }>

function writesOf<To extends Write['to']>(writes: readonly Write[], to: To): readonly WriteTo<To>[] {
  return writes.filter((one): one is WriteTo<To> => one.to === to)
}

function settingsStep(
  writes: readonly WriteTo<'setting'>[],
  { settingsText, settingsFile, file }: Present,
): Receipt['settings'] {
  if (writes.length === 0) return null
  // As it is on disk: an undo restores its first bytes too.
  const before = file('settings.json') ?? null
  const after = editedSettings(
    settingsText,
    writes.map(({ edit }) => edit),
  )
  const parts = writes.map(({ edit, before: old }) => ({
    path: [...edit.path],
    ...(old !== undefined && { before: old }),
    after: edit.value,
  }))
  return { file: { path: settingsFile, before, after }, parts }
}

function instructionsStep(writes: readonly WriteTo<'block'>[], { file }: Present): Receipt['instructions'] {
  if (writes.length === 0) return null
  const before = file(instructionsFile) ?? null
  const after = writes.reduce((text, { before: old, text: block }) => {
    if (old !== null) return text.replace(old, () => block)
    return text === '' ? block : `${text}${text.endsWith('\n') ? '' : '\n'}\n${block}`
  }, before ?? '')
  const parts = writes.map((one) => ({ before: one.before, after: one.text }))
  return { file: { path: instructionsFile, before, after }, parts }
}

/** The folders above some files that are not there yet, the outermost first. */
function missingFolders(paths: readonly string[], dataFolder: string): string[] {
  const above = paths.flatMap((path) => {
    const names = path.split('/').slice(0, -1)
    return names.map((_, index) => names.slice(0, index + 1).join('/'))
  })
  return [...new Set(above)].filter((folder) => !existsSync(join(dataFolder, folder)))
}

async function carryOut(parts: Parts, project: Project | null, receipt: Receipt): Promise<void> {
  const { dataFolder } = parts.options
  const switchedOff = openMcpTrust(join(dataFolder, 'hooks-off.json'))
  // First, so that no hook runs before the person looked at it.
  for (const hash of receipt.hooks) await switchedOff.trust(hash)
  for (const { path, after } of [...receipt.files, ...(receipt.instructions ? [receipt.instructions.file] : [])]) {
    const file = join(dataFolder, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    await writeText(file, after)
  }
  if (receipt.settings) parts.settings.replace(receipt.settings.file.after)
  const notes = receipt.memories.map(
    ({ name, after }) => [unwrap(memoryPath(name)), new TextEncoder().encode(after)] as const,
  )
  if (notes.length > 0 && project) project.run(writeMemories(project.services, notes))
}
