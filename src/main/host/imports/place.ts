import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readBounded } from '#adapters/system/read-bounded.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { mostBytes, type ProjectFiles, readProjectText } from '../extensions/project-text.ts'
import { isInside } from '../settings/routes.ts'

/** One entry of a folder. Whatever a link leads to counts as that. */
export interface PlaceEntry {
  readonly name: string
  readonly kind: 'file' | 'folder'
}

/**
 * Where definitions of other tools are looked for: a person's home, or a trusted folder. What is there but cannot be read is
 * named once and counts as missing, so that the rest works.
 */
export interface Place {
  readonly scope: 'home' | 'folder'
  /** A path below it, for people. */
  label(path: string): string
  /** The text of a file. Undefined when it is missing or cannot be read. */
  read(path: string): Promise<string | undefined>
  /** The entries of a folder in the order of their names. Empty for what is no folder. */
  list(path: string): Promise<readonly PlaceEntry[]>
  /** Where a path really leads, for people. Undefined when nothing is there. */
  leadsTo(path: string): Promise<string | undefined>
  /** Adds a sentence about a file that is not used. */
  say(path: string, why: string): void
}

/** Bytes of one file. Claude Code keeps its servers beside what it remembers of every project. */
const mostOfFile = 8 * 1024 * 1024
/** Bytes of all files of one place together. */
const mostOfAll = 48 * 1024 * 1024
/** Entries of one folder that are looked at. */
const mostEntries = 500

/** A part of a home that is somewhere else, since a variable of the app says so. */
export interface MovedPart {
  /** Where it is in a home: a folder, or one file. */
  readonly usual: string
  /** Where it is: a whole path. */
  readonly at: string
}

/** The home of a person, with parts that are elsewhere. A link that leads out of it, or out of such a part, is not followed. */
export async function homePlace(home: string, problems: string[], moved: readonly MovedPart[] = []): Promise<Place> {
  const own = await realpath(home).catch(() => home)
  const parts = await Promise.all(
    moved.map(async (one) => ({ ...one, at: await realpath(one.at).catch(() => one.at) })),
  )
  const partOf = (path: string) => parts.find(({ usual }) => path === usual || path.startsWith(`${usual}/`))
  const rootOf = (path: string) => partOf(path)?.at ?? own
  const placed = (path: string) => {
    const part = partOf(path)
    return part ? join(part.at, path.slice(part.usual.length)) : join(own, path)
  }
  const label = (path: string) => (partOf(path) ? oneLine(placed(path)) : `~/${oneLine(path)}`)
  const say = (path: string, why: string) => void problems.push(`${label(path)}: ${why}`)
  const isTooMuch = countBytes()
  /** The real path. Undefined when nothing is there, or what is there is outside. */
  async function find(path: string): Promise<string | undefined> {
    try {
      const real = await realpath(placed(path))
      if (isInside(real, rootOf(path))) return real
      say(path, `It is a link that leads out of ${partOf(path) ? 'that folder' : 'your home'}, so it was not read.`)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' && code !== 'ENOTDIR') say(path, `It was not read: ${wordsOf(error)}.`)
    }
    return undefined
  }
  return {
    scope: 'home',
    label,
    say,
    leadsTo: async (path) => {
      const real = await realpath(placed(path)).catch(() => undefined)
      const root = rootOf(path)
      if (real === undefined || !isInside(real, root)) return undefined
      return [partOf(path)?.usual ?? '', real.slice(root.length + 1)].filter((one) => one !== '').join('/')
    },
    async read(path) {
      const real = await find(path)
      if (real === undefined) return undefined
      try {
        const bytes = readBounded(real, { most: mostOfFile, follows: false })
        if (!isTooMuch(bytes.length)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
        say(path, tooMuch)
        return undefined
      } catch (error) {
        say(path, `It was not read: ${error instanceof TypeError ? 'it is not text' : wordsOf(error)}.`)
        return undefined
      }
    },
    async list(path) {
      const real = await find(path)
      const names = real === undefined ? [] : await readdir(real).catch(() => [])
      if (names.length > mostEntries)
        say(path, `Only the first ${mostEntries} of ${names.length} entries are looked at.`)
      const entries = names.sort(byCodeUnit).slice(0, mostEntries)
      const found = await Promise.all(
        entries.map(async (name) => {
          const stats = await stat(join(real ?? '', name)).catch(() => undefined)
          return { name, kind: stats?.isDirectory() ? ('folder' as const) : ('file' as const) }
        }),
      )
      return found
    },
  }
}

/** A trusted folder, as its agents may read it without asking. */
export function folderPlace({ base, access }: ProjectFiles, problems: string[]): Place {
  const label = (path: string) => oneLine(`/${path}`)
  const at = (path: string) => `/${path}` as VirtualPath
  const say = (path: string, why: string) => void problems.push(`${label(path)}: ${why}`)
  const isTooMuch = countBytes()
  const isThere = async (path: string) => Boolean(await base.stat(at(path)).catch(() => undefined))
  return {
    scope: 'folder',
    label,
    say,
    leadsTo: async (path) => ((await isThere(path)) ? path : undefined),
    async read(path) {
      const found = await readProjectText({ base, access }, at(path))
      if (found !== undefined && !found.isCut && !isTooMuch(found.text.length)) return found.text
      if (found !== undefined && !found.isCut) say(path, tooMuch)
      else if (found !== undefined) say(path, `It is larger than ${mostBytes / 1024} KB, so it was not read.`)
      else if (await isThere(path))
        say(path, 'It was not read: it leads out of the folder, holds secrets, or asks before it is read.')
      return undefined
    },
    async list(path) {
      const entries = await base
        .list(at(path))
        .then((found) => found?.entries ?? [])
        .catch(() => [])
      if (entries.length > mostEntries)
        say(path, `Only the first ${mostEntries} of ${entries.length} entries are looked at.`)
      return entries.slice(0, mostEntries).flatMap(({ name, node }): readonly PlaceEntry[] => {
        if (node.kind === 'directory') return [{ name, kind: 'folder' }]
        if (node.kind === 'file') return [{ name, kind: 'file' }]
        // Whatever else a link leads to is tried as a folder, and holds nothing if it is none.
        return node.kind === 'symlink' ? [{ name, kind: basename(name).includes('.') ? 'file' : 'folder' }] : []
      })
    },
  }
}

const tooMuch = `It was not read: the files before it hold ${mostOfAll / 1024 / 1024} MB already.`

/** Counts what is read, and says whether it is more than is kept in memory. */
function countBytes(): (bytes: number) => boolean {
  let all = 0
  return (bytes) => {
    if (all + bytes > mostOfAll) return true
    all += bytes
    return false
  }
}

/** Folders with what others made. They may hold thousands of files. */
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git', '.venv', '__pycache__'])

/** Files below a folder whose names end in a certain way, with the names that lead to each. */
export async function filesBelow(
  place: Place,
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<readonly { readonly path: string; readonly names: readonly string[] }[]> {
  const found: { readonly path: string; readonly names: readonly string[] }[] = []
  const waiting: (readonly string[])[] = [[]]
  const seen = new Set<string>()
  for (let looked = 0; looked < Math.min(waiting.length, mostFolders); looked += 1) {
    const above = waiting[looked] ?? []
    const at = [folder, ...above].join('/')
    // A link to a folder above it would show each file again and again.
    const real = (await place.leadsTo(at)) ?? at
    if (seen.has(real)) continue
    seen.add(real)
    for (const { name, kind } of await place.list(at)) {
      const names = [...above, name]
      if (kind === 'folder' && names.length < deepest && !skipped.has(name)) waiting.push(names)
      if (kind !== 'file' || !isWanted(name)) continue
      if (found.length === mostEntries) {
        place.say(folder, `Only its first ${mostEntries} files are read.`)
        return found
      }
      found.push({ path: [folder, ...names].join('/'), names })
    }
  }
  return found
}

const mostFolders = 200
const deepest = 8

function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ELOOP') return 'it is a link that leads in a circle'
  if (code === 'EACCES' || code === 'EPERM') return 'you may not read it'
  return code === undefined || message.includes(code) ? (code ?? 'it cannot be read') : message
}
