import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { type LayeredRepository, runGit } from './layer-git.ts'
import type { RepositoryFiles } from './repository-refs.ts'

const stash = 'refs/stash'
const packTimeoutMs = 30_000
/** Of a file of git that is kept in a layer. */
const mostBytes = 1024 * 1024 * 1024

/**
 * Packs what commits of the layers stand on and no reference of the person leads to any more, so that the person's git will
 * remove it one day. `lost` are the names whose history is not whole already.
 */
export async function saveObjects(
  input: LayeredRepository,
  tips: ReadonlyMap<string, string>,
  persons: readonly string[],
): Promise<{ readonly packs: readonly (readonly [string, Uint8Array])[]; readonly lost: readonly string[] }> {
  const nothing = { packs: [], lost: [] }
  if (tips.size === 0) return nothing
  const place = makeTemporary('objects')
  try {
    const known = persons.flatMap((id) => (id.startsWith('ref: ') ? [] : [`^${id}\n`])).join('')
    const wanted = `${[...tips.values()].join('\n')}\n${known}`
    const { status, packs } = await packObjects(input, place, wanted)
    if (status === null) return nothing
    if (status !== 0) {
      const list = ['rev-list', '--objects', '--quiet', '--stdin']
      const answers = [...tips].map(async ([name, id]) => {
        const answer = await runGit(input, list, { input: `${id}\n${known}` })
        return answer.status === null || answer.status === 0 ? [] : [name]
      })
      const lost = (await Promise.all(answers)).flat()
      const rest = new Map([...tips].filter(([name]) => !lost.includes(name)))
      return lost.length === 0 ? nothing : { packs: (await saveObjects(input, rest, persons)).packs, lost }
    }
    return { packs, lost: [] }
  } finally {
    await removeMade(place)
  }
}

/**
 * The files of a pack with what these lines for `git rev-list` name. Git prints it and is told to index it here, because it begins
 * every pack that it writes itself in the person's repository.
 */
async function packObjects(
  input: LayeredRepository,
  place: string,
  wanted: string,
): Promise<{ readonly status: number | null; readonly packs: readonly (readonly [string, Uint8Array])[] }> {
  const [pack, index] = [join(place, 'made.pack'), join(place, 'made.idx')]
  const output = openSync(pack, 'wx', 0o600)
  const timeout = { timeoutMs: packTimeoutMs }
  try {
    // What the layers have is theirs: git packs only what the person's own repository has.
    const args = ['pack-objects', '--revs', '--local', '--quiet', '--window=0', '--stdout']
    const { status } = await runGit(input, args, { ...timeout, input: wanted, output })
    if (status !== 0) return { status, packs: [] }
  } finally {
    closeSync(output)
  }
  if (statSync(pack).size > mostBytes) return { status: 0, packs: [] }
  const bytes = readFileSync(pack)
  if (bytes.readUInt32BE(8) === 0) return { status: 0, packs: [] }
  const { status } = await runGit(input, ['index-pack', '-o', index, pack], timeout)
  const name = `pack-${createHash('sha1').update(bytes).digest('hex')}`
  return status === 0
    ? { status, packs: [[`${name}.pack`, bytes] as const, [`${name}.idx`, readFileSync(index)] as const] }
    : { status: null, packs: [] }
}

/** What the layers alone lead to, by name: references as they will be, and the list of stashes. */
export function ownTips(
  files: RepositoryFiles,
  joined: ReadonlyMap<string, string | null>,
  writes: ReadonlyMap<VirtualPath, Uint8Array>,
): ReadonlyMap<string, string> {
  const kept = [...writes].flatMap(([path, bytes]) => {
    const name = /\/(refs\/kept\/.+)$/.exec(path)?.[1]
    return name === undefined || path.includes('/logs/') ? [] : [[name, Buffer.from(bytes).toString().trim()] as const]
  })
  const stashes = Buffer.from(files.own(`logs/${stash}`) ?? '')
    .toString()
    .split('\n')
    .flatMap((line, at) => (line === '' ? [] : [[`${stash}@${at}`, line.split(' ')[1] ?? ''] as const]))
  const persons = new Set(files.person.values())
  return new Map(
    [...joined, ...kept, ...stashes].flatMap(([name, value]) =>
      value === null || value.startsWith('ref: ') || persons.has(value) ? [] : [[name, value] as const],
    ),
  )
}
