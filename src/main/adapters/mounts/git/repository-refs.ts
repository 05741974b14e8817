import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ancestorsOf, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { findInLayers, type ShownLayer } from '../layers/shown-in-layers.ts'
import { type MountBase, readRegular } from '../mount-base.ts'

/** What a layer tells of the repository at its unit, to find out later who changed which reference. */
export interface RepositoryRecord {
  readonly unit: VirtualPath
  /** The commit that `HEAD` of the view led to at the end. Null for none. */
  readonly head: string | null
  /**
   * What the person's repository had, when the layer was made, for `HEAD` and for each reference that layers change. Null for
   * no such reference. One that is missing is not known.
   */
  readonly person: readonly (readonly [string, string | null])[]
}

/** Values of references by their names, `HEAD` included: the id of an object, or `ref: ` and another name. */
export type Refs = ReadonlyMap<string, string>

/** A repository with files in layers, over the one that the person has. */
export interface RepositoryFiles {
  /** As the person has it. Undefined for no regular file. */
  below(name: string): Uint8Array | undefined
  /** As the newest layer has it. Null where one removed it, undefined where none says anything. */
  own(name: string): Uint8Array | null | undefined
  /** The person's references, packed ones included. */
  readonly person: Refs
  readonly personPacked: Refs
  /** The packed references of the newest layer that has some. Undefined for none. */
  readonly ownPacked: Refs | undefined
  /** `HEAD` and the references that layers have or removed as files of their own, or hide with the folder around them. */
  readonly touched: ReadonlySet<string>
}

/** `unit` is the folder of the repository, usually `/.git`. `layers` begin with the oldest. */
export function readRepository(unit: VirtualPath, base: MountBase, layers: readonly ShownLayer[]): RepositoryFiles {
  const pathOf = (name: string) => joinPath(unit, name)
  const below = (name: string) => readBelow(base, pathOf(name))
  const own = (name: string) => readOwn(layers, pathOf(name))
  const personPacked = packedIn(below('packed-refs'))
  const loose = new Map<string, string>()
  for (const name of ['HEAD', ...namesBelow('refs', (folder) => base.names(pathOf(folder)), kindIn(base, unit))])
    setValue(loose, name, below(name))
  const packed = own('packed-refs')
  const person = new Map([...personPacked, ...loose])
  const named = new Set(layers.flatMap((layer) => touchedBy(layer, unit)))
  // What the person has in a folder that a layer removed or made again is hidden, also when it came later.
  const hiding = new Set([
    ...named,
    ...layers.flatMap(({ opaque }) => opaque.map((path) => path.slice(unit.length + 1))),
  ])
  const hidden = [...person.keys()].filter((name) => foldersOf(name).some((folder) => hiding.has(folder)))
  return {
    ...{ below, own, person, personPacked },
    ownPacked: packed === undefined ? undefined : packedIn(packed ?? undefined),
    touched: new Set([...named, ...hidden]),
  }
}

/** `refs/heads/a` and `refs/heads` of `refs/heads/a/b`, and so on. */
function foldersOf(name: string): readonly string[] {
  return ancestorsOf(`/${name}` as VirtualPath).map((path) => path.slice(1))
}

/** The commit that `HEAD` leads to. Null for none. */
export function headCommit(read: (name: string) => string | null | undefined): string | null {
  let value = read('HEAD')
  for (let steps = 0; value?.startsWith('ref: ') && steps < 5; steps += 1) value = read(value.slice(5))
  return value === undefined || value === null || value.startsWith('ref: ') ? null : value
}

/** The value that a view shows. Null for none. */
export function shownValue({ own, person, personPacked, ownPacked }: RepositoryFiles, name: string): string | null {
  const loose = own(name)
  if (loose) return valueIn(loose) ?? null
  const packed = (ownPacked ?? personPacked).get(name) ?? null
  if (loose === null) return packed
  const isLoose = person.has(name) && !isOnlyPacked({ person, personPacked }, name)
  return isLoose ? (person.get(name) ?? null) : packed
}

/**
 * The value that layers give to a reference. Null when they removed it; undefined when they leave it to the person.
 */
export function ownValue({ own, person, ownPacked }: RepositoryFiles, name: string): string | null | undefined {
  const loose = own(name)
  if (loose) return valueIn(loose) ?? null
  if (ownPacked === undefined) return loose
  return ownPacked.get(name) ?? (loose === undefined && person.has(name) ? undefined : null)
}

function isOnlyPacked({ person, personPacked }: Pick<RepositoryFiles, 'person' | 'personPacked'>, name: string) {
  return personPacked.has(name) && personPacked.get(name) === person.get(name)
}

function readBelow(base: MountBase, path: VirtualPath): Uint8Array | undefined {
  const node = base.at(path)
  try {
    return node?.kind === 'file' ? node.read() : undefined
  } catch {
    return undefined
  }
}

function readOwn(layers: readonly ShownLayer[], path: VirtualPath): Uint8Array | null | undefined {
  const found = findInLayers(layers, path)
  if (found === undefined) return undefined
  if (found === 'gone' || !found.stats.isFile()) return null
  const place = join(found.layer.files, path)
  return asOwner(place, () => readRegular(place))
}

function touchedBy({ files, hides = [] }: ShownLayer, unit: VirtualPath): readonly string[] {
  const found = lookAsOwner(join(files, unit, 'HEAD')) ? ['HEAD'] : []
  const walk = (name: string): void => {
    const place = join(files, unit, name)
    const stats = lookAsOwner(place)
    if (stats?.isDirectory()) for (const one of asOwner(place, () => readdirSync(place))) walk(`${name}/${one}`)
    else if (stats) found.push(name)
  }
  walk('refs')
  const start = `${unit}/`
  const hidden = hides.flatMap((path) => (path.startsWith(start) ? [path.slice(start.length)] : []))
  return [...found, ...hidden.filter((name) => name === 'HEAD' || name.startsWith('refs/'))]
}

function kindIn(base: MountBase, unit: VirtualPath): (name: string) => 'folder' | 'file' | undefined {
  return (name) => {
    const kind = base.at(joinPath(unit, name))?.kind
    return kind === 'directory' ? 'folder' : kind === 'file' ? 'file' : undefined
  }
}

function namesBelow(
  folder: string,
  list: (folder: string) => Iterable<string>,
  kindOf: (name: string) => 'folder' | 'file' | undefined,
): readonly string[] {
  if (kindOf(folder) !== 'folder') return []
  return [...list(folder)].flatMap((one) => {
    const name = `${folder}/${one}`
    return kindOf(name) === 'folder' ? namesBelow(name, list, kindOf) : name.endsWith('.lock') ? [] : [name]
  })
}

function setValue(into: Map<string, string>, name: string, bytes: Uint8Array | undefined): void {
  const value = bytes && valueIn(bytes)
  if (value !== undefined) into.set(name, value)
}

function valueIn(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString().trim()
  return /^([0-9a-f]{40}|[0-9a-f]{64}|ref: \S+)$/.test(text) ? text : undefined
}

function packedIn(bytes: Uint8Array | undefined): Refs {
  const packed = new Map<string, string>()
  for (const line of bytes ? Buffer.from(bytes).toString().split('\n') : []) {
    const [, id, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? []
    if (id && name) packed.set(name, id)
  }
  return packed
}

/** The text of packed references without these. */
export function packedWithout(bytes: Uint8Array, names: ReadonlySet<string>): Buffer {
  let isLeftOut = false
  const lines = Buffer.from(bytes)
    .toString()
    .split('\n')
    .filter((line) => {
      // What an annotated tag leads to stands in a line below it.
      if (!line.startsWith('^')) isLeftOut = names.has(line.split(' ')[1] ?? '')
      return !isLeftOut
    })
  return Buffer.from(lines.join('\n'))
}
