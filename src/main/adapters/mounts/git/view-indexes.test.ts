import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { MountChange, MountEntry } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'

/**
 * The law of repositories in a project: whatever form one has, and whoever made it, a file that a command wrote is a change
 * exactly if git there lists it, which it does for what it tracks and for what no rule ignores.
 */

const git = 'git -c user.name=n -c user.email=e -c protocol.file.allow=always'
/** Tracked and untracked files below an ignored path and beside it, in the repository of the current folder. */
const fill = `printf '*.log\\nout/\\n' > .gitignore; mkdir -p out/in; for f in kept.log out/kept out/in/kept lost.log out/lost plain; do echo 1 > $f; done; git add -f --sparse .gitignore kept.log out/kept out/in/kept`
/** Each makes a repository whose git is kept in another way, in a folder of the name. */
const forms = {
  folder: 'git init -q --template= folder',
  'folder/in/deep': 'git init -q --template= folder/in/deep',
  worktree: 'git worktree add -q worktree',
  'in/tree': 'git worktree add -q in/tree',
  module: `${git} submodule --quiet add ./.git module`,
  apart: 'mkdir -p .git/stores; git init -q --template= --separate-git-dir=.git/stores/apart apart',
  stored: 'git init -q --template= --separate-git-dir=store stored',
  linked: 'git init -q --template= linked; mv linked/.git .git/linked; ln -s ../.git/linked linked/.git',
  moved: 'git worktree add -q first; git worktree move first moved',
  split: 'git init -q --template= split; git -C split config core.splitIndex true',
  sparse: `${git} clone -q .git sparse; git -C sparse sparse-checkout set --cone --sparse-index deep`,
  four: 'git init -q --template= four; git -C four config index.version 4',
  sha256: 'git init -q --template= --object-format=sha256 sha256',
} as const
const folders = ['.', ...Object.keys(forms)].join(' ')
const make = `git init -q --template= -b main .; mkdir -p deep far; echo 1 | tee deep/a > far/a; ${fill}; git add .; ${git} commit -qm 1
  (${Object.values(forms).join('; ')}) 2>&1; for r in ${folders}; do (cd $r; ${fill}) || echo "no $r"; done`
const list = `for r in ${folders}; do git -C $r ls-files -co --exclude-standard | sort -u | while read -r f; do [ -f "$r/$f" ] && [ ! -L "$r/$f" ] && echo "/$r/$f" || true; done; done`

describe.each(await findStrategies())('repositories in a project ($kind)', (strategy) => {
  let world: DiskMountsWorld
  beforeEach(() => {
    world = openMountsWorld({ probe: async () => strategy })
  })
  afterEach(() => world[Symbol.asyncDispose]())

  let branch: ReadonlyMap<string, MountChange>
  let environment: readonly LayerId[]
  async function command(script: string) {
    const overlay = [...branch.values()].map((change): MountEntry => {
      if (change.kind !== 'file') return change as MountEntry
      const { path, bytes, executable } = change
      return { kind: 'file', path, content: Buffer.from(bytes).toString('base64'), read: () => bytes, executable }
    })
    await using mount = await world.mounts.open({ owner: 'branch', overlay, environment }, never)
    const printed = await world.inMount(mount, `{ ${script}; } && echo = && ${list}`)
    const [said = '', listed = ''] = printed.split('=\n')
    const captured = await mount.capture()
    environment = captured.environment
    branch = new Map([...branch, ...captured.changes.map((change) => [change.path, change] as const)])
    const changed = captured.changes.flatMap(({ kind, path }) =>
      kind === 'file' && !path.startsWith('/store/') ? [path] : [],
    )
    const names = listed.split('\n').map((name) => name.replace('/./', '/'))
    return {
      said,
      changed,
      listed: [...new Set(names.filter((name) => name !== '' && !name.startsWith('/store/')))].sort(),
    }
  }
  const change = `find . -type f ! -path '*/.git*' ! -path './store/*' ! -name .gitignore ! -name .gitmodules | while read -r f; do echo 2 >> "$f"; done`

  it.each(['a command', 'a person'])(
    'git says what is a change, in each form of repository that %s made',
    async (who) => {
      branch = new Map()
      environment = []
      if (who === 'a person') await world.onDisk(`cd ${world.root}; ${make}`)
      else {
        const made = await command(make)
        expect(made.said).not.toContain('no ')
        expect(made.changed).toEqual(made.listed)
      }
      const written = await command(change)
      expect(written.changed).toEqual(written.listed.filter((path) => !/\.git[a-z]+$/.test(path)))
      const added = await command(
        `for r in ${folders}; do (cd $r; echo | tee out/more x.log out/new; git add -f --sparse out/more); done`,
      )
      expect(added.changed).toEqual(added.listed.filter((path) => /out\/(more|new)$|x\.log$/.test(path)))
      const last = await command(change)
      expect(last.changed).toEqual(last.listed.filter((path) => !/\.git[a-z]+$/.test(path)))
    },
  )
})
