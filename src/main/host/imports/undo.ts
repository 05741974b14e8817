import { rmdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { findNodeAtLocation, getNodeValue, type ParseError, parse, parseTree } from 'jsonc-parser'
import { editedSettings } from '#adapters/settings/settings-file.ts'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import { deleteMemory, writeMemory } from '#core/commands/memory.ts'
import type { ImportUndone } from '#shared/contract/views/imports.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { latestVersion } from '#shared/model/memory.ts'
import type { HostParts } from '../app/host-parts.ts'
import { hooksIn } from '../hooks/read-hooks.ts'
import { openMcpTrust } from '../mcp/mcp-trust.ts'
import type { Project } from '../project/project.ts'
import { type Receipt, readReceipts, writeReceipts, writeText } from './receipts.ts'

type Parts = Pick<HostParts, 'options' | 'settings'>

/** Takes back the latest import. What somebody changed since is kept and named. */
export async function undoImport(parts: Parts, project: Project | null, id: string): Promise<ImportUndone> {
  const receipt = readReceipts(parts.options.dataFolder).at(-1)
  if (receipt === undefined) throw new WireError('NOT_FOUND', 'There is no import to undo.')
  if (receipt.id !== id) throw new WireError('NOT_FOUND', 'Another import came after this one. Undo that first.')
  if (receipt.memories.length > 0 && (project === null || project.rootFolder !== receipt.project))
    throw new WireError(
      'REFUSED',
      `This import wrote notes of the project in ${receipt.project ?? 'a workspace'}. Open that to undo it.`,
    )
  return takeBack(parts, project, receipt)
}

/** Takes back what of an import was carried out. */
export async function takeBack(parts: Parts, project: Project | null, receipt: Receipt): Promise<ImportUndone> {
  const { dataFolder } = parts.options
  const done: Done = { restored: [], kept: [] }
  restoreSettings(parts, receipt, done)
  await restoreInstructions(dataFolder, receipt, done)
  for (const step of receipt.files) await restoreFile(dataFolder, step, done)
  for (const folder of receipt.folders.toReversed()) removeEmpty(join(dataFolder, folder))
  if (project) for (const note of receipt.memories) restoreMemory(project, note, done)
  await forgetHooks(parts, receipt)
  await writeReceipts(
    dataFolder,
    readReceipts(dataFolder).filter((one) => one.id !== receipt.id),
  )
  return done
}

/** A hook that is still there stays off: it runs once a person switches it on. */
async function forgetHooks({ options, settings }: Parts, receipt: Receipt): Promise<void> {
  const switchedOff = openMcpTrust(join(options.dataFolder, 'hooks-off.json'))
  const mistakes: ParseError[] = []
  const given: unknown = parse(settings.text(), mistakes, { allowTrailingComma: true })
  if (mistakes.length > 0) return
  const { hooks } = hooksIn(Object(given).hooks, { source: 'settings', file: settings.file })
  const there = new Set(hooks.map(({ hash }) => hash))
  for (const hash of receipt.hooks) if (!there.has(hash) && switchedOff.isTrusted(hash)) await switchedOff.revoke(hash)
}

interface Done {
  readonly restored: string[]
  readonly kept: string[]
}

type FileStep = Receipt['files'][number]

async function putBack(path: string, { before }: FileStep): Promise<void> {
  if (before === null) rmSync(path, { force: true })
  else await writeText(path, before)
}

async function restoreFile(dataFolder: string, step: FileStep, done: Done): Promise<void> {
  const path = join(dataFolder, step.path)
  const now = textIfReadable(path) ?? null
  if (now === step.before) return
  if (now !== step.after) {
    done.kept.push(`${path} was changed since, so it stays.`)
    return
  }
  await putBack(path, step)
  done.restored.push(path)
}

/** Folders that hold something stay. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {}
}

function restoreSettings({ options, settings }: Parts, { settings: step }: Receipt, done: Done): void {
  if (step === null) return
  const { file, parts } = step
  const isThere = textIfReadable(join(options.dataFolder, basename(file.path))) !== undefined
  const now = isThere ? settings.text() : null
  if (now === file.before) return
  if (now === file.after) {
    if (file.before === null) rmSync(file.path, { force: true })
    else settings.replace(file.before)
    settings.read()
    done.restored.push(...parts.map(({ path, after }) => `${file.path}: ${nameOf(path, after)}`))
    return
  }
  const mistakes: ParseError[] = []
  parseTree(now ?? '', mistakes, { allowTrailingComma: true })
  if (now !== null && mistakes.length > 0) {
    done.kept.push(`${file.path} has a mistake now, so what was added to it stays. Take it out by hand.`)
    return
  }
  let text = now ?? '{}\n'
  for (const part of parts.toReversed()) text = withoutPart(text, part, file.path, done)
  if (text !== now) settings.replace(text)
}

type SettingPart = NonNullable<Receipt['settings']>['parts'][number]

/** A settings text without what an import put there, as long as it is still that. */
function withoutPart(text: string, part: SettingPart, file: string, done: Done): string {
  const { path, before, after } = part
  const last = path.at(-1)
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const valueAt = (at: readonly (string | number)[]): unknown => {
    const node = tree && findNodeAtLocation(tree, [...at])
    // A node's objects have no prototype, and so would equal nothing that was stored.
    return node && structuredClone(getNodeValue(node))
  }
  const name = `${file}: ${nameOf(path, after)}`
  if (typeof last !== 'number') {
    const now = valueAt(path)
    if (now === undefined) return text
    if (isDeepStrictEqual(now, after)) {
      done.restored.push(name)
      return editedSettings(text, [{ path: [...path], value: before }])
    }
    if (!isDeepStrictEqual(now, before)) done.kept.push(`${name} was changed since, so it stays.`)
    return text
  }
  const list = valueAt(path.slice(0, -1))
  const at = Array.isArray(list) ? list.findLastIndex((one) => isDeepStrictEqual(one, after)) : -1
  if (at < 0) {
    // A definition with a name or with a hook is still there as another one; all else is gone.
    const named = Array.isArray(list) && list.some((one) => sameName(one, after) || sharesHook(one, after))
    if (named) done.kept.push(`${name} was changed since, so it stays.`)
    return text
  }
  done.restored.push(name)
  return editedSettings(text, [{ path: [...path.slice(0, -1), at], value: before }])
}

function sameName(one: unknown, other: unknown): boolean {
  const name: unknown = Object(one).name
  return name !== undefined && name === Object(other).name
}

/** True for two groups of hooks of which a hook is the same. */
function sharesHook(one: unknown, other: unknown): boolean {
  const [some, others] = [one, other].map((group): unknown => Object(group).hooks)
  return (
    Array.isArray(some) &&
    Array.isArray(others) &&
    some.some((hook) => others.some((each) => isDeepStrictEqual(hook, each)))
  )
}

function nameOf(path: readonly (string | number)[], after: unknown): string {
  const named = path.filter((one) => typeof one === 'string').join('.')
  const name: unknown = typeof after === 'string' ? after : Object(after).name
  return typeof path.at(-1) === 'number' && typeof name === 'string' ? `${named}, ${name}` : named
}

async function restoreInstructions(dataFolder: string, { instructions: step }: Receipt, done: Done): Promise<void> {
  if (step === null) return
  const path = join(dataFolder, step.file.path)
  const now = textIfReadable(path) ?? null
  if (now === null || now === step.file.after || now === step.file.before)
    return restoreFile(dataFolder, step.file, done)
  let text = now
  for (const { before, after } of step.parts.toReversed()) {
    if (text.split(after).length === 2) {
      text = before === null ? text.replace(`\n${after}`, '').replace(after, '') : text.replace(after, () => before)
      done.restored.push(`${path}: ${after.split('\n', 1)[0]}`)
    } else done.kept.push(`${path}: ${after.split('\n', 1)[0]} was changed since, so it stays.`)
  }
  if (text !== now) await writeText(path, text)
}

function restoreMemory(
  { services, run }: Project,
  { name, before, after }: Receipt['memories'][number],
  done: Done,
): void {
  const memory = services.log.state.memories.get(name)
  const now = memory?.text ?? null
  if (now === before) return
  if (memory === undefined || now !== after) {
    done.kept.push(`/memories/${name} was changed since, so it stays.`)
    return
  }
  const latest = latestVersion(memory).sequence
  run(
    before === null ? deleteMemory(services, { name, latest }) : writeMemory(services, { name, latest, text: before }),
  )
  done.restored.push(`/memories/${name}`)
}
