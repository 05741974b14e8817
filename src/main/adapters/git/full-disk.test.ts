import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isQuick } from '#core/ports/test-size.testkit.ts'
import type { FullDisk } from './full-disk.testkit.ts'

const fixture = join(import.meta.dirname, 'full-disk.testkit.ts')
const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-full-')))
afterAll(() => rmSync(above, { recursive: true, force: true }))
const sh = (script: string) =>
  execFileSync('bash', ['-ec', script], { cwd: above, encoding: 'utf8', env: { ...process.env, HOME: above } }).trim()
const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', `mount -t tmpfs tmpfs '${above}'`]).status === 0
if (!canMount) console.warn('SKIPPED: disks that are full, because this system does not allow mounts')
const commit = canMount
  ? sh(`git config --global user.name n; git config --global user.email e@e; git config --global safe.directory '*'
git init -q --template= -b main folder; cd folder; seq 2000 > a; git add a; git commit -qm 1; git clone -q --shared --template= . ../view
cd ../view; for n in $(seq 30); do head -c 4000 /dev/urandom > g$n; done; git add -A; git commit -qm 2; git rev-parse HEAD`)
  : ''

interface Ended {
  readonly said: string
  /** Locks and temporary files in the repository, and everything beside it. */
  readonly left: string
  /** What git finds wrong. */
  readonly fsck: string
  readonly tip: string
}

/** Delivers where the disk of the repository, or the one for temporary files, has so many kilobytes left. */
function deliverWith(free: number, full: 'repository' | 'temporary', task: Pick<FullDisk, 'files' | 'made'>): Ended {
  const places = { rootFolder: join(above, 'disk/folder'), temporaryFolder: join(above, 'disk/temporary') }
  const other = join(above, 'other')
  const roomy = full === 'repository' ? { temporaryFolder: other } : { rootFolder: join(above, 'folder') }
  const words = JSON.stringify({ ...places, ...roomy, ...task } satisfies FullDisk)
  const repository = full === 'repository' ? places.rootFolder : join(above, 'folder')
  const script = `set -e; mkdir -p disk other; mount -t tmpfs -o size=16m tmpfs disk; mkdir disk/temporary; cp -a folder disk/folder
head -c $(( $(df -k --output=avail disk | tail -1) - ${free} ))k /dev/zero > disk/fill; set +e
"$1" --no-warnings "$2" "$3"; echo; cd '${repository}'; rm '${above}/disk/fill'
find .git '(' -name 'tmp_*' -o -name '*.lock' ')'; find '${places.temporaryFolder}' '${other}' -mindepth 1; echo ---
git fsck --strict 2>&1 | grep -Ev '^(dangling|notice)'; echo ---; git rev-parse -q --verify to; git update-ref -d refs/heads/to; true`
  const answer = execFileSync('unshare', ['-rm', 'bash', '-c', script, 'sh', process.execPath, fixture, words], {
    ...{ cwd: above, encoding: 'utf8', env: { ...process.env, HOME: above } },
  })
  const [said = '', rest = ''] = answer.split('\n\n')
  const [left = '', fsck = '', tip = ''] = rest.split('---\n')
  return { said, left: left.trim(), fsck: fsck.trim(), tip: tip.trim() }
}

const kinds = {
  'single objects': { files: 20 },
  'a pack': { files: 150 },
  'commits of agents': { files: 0, made: { commit, objects: join(above, 'view/.git/objects') } },
} as const

// Mutation: let git write to the objects of the person's repository itself. What it began is left there.
describe.skipIf(!canMount).each(['repository', 'temporary'] as const)('on a full disk of the %s', (full) => {
  it.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s are delivered whole or not at all', (kind) => {
    const ends = new Set<string>()
    for (const free of isQuick() ? [60, 4000] : [0, 4, 8, 16, 24, 40, 60, 90, 120, 250, 400, 4000]) {
      const { said, tip, ...rest } = deliverWith(free, full, kinds[kind])
      expect([rest, said, tip === '']).toEqual([
        { left: '', fsck: '' },
        said === 'delivered'
          ? said
          : expect.stringMatching(/^DeliveryError: .*: the disk is full\. Free some space, then try again\.$/),
        said !== 'delivered',
      ])
      ends.add(said === 'delivered' ? said : 'refused')
    }
    expect([...ends].sort()).toEqual(['delivered', 'refused'])
  })
})
