import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claimOrMake } from '../../system/made-folders.ts'
import { shownUser } from '../../system/namespaces.ts'
import { openMountsWorld } from '../mounts-world.testkit.ts'
import { createOwnedCopies } from './owned-copies.ts'

const isRoot = process.getuid?.() === 0
/** What the sandbox does last. */
const asCommand = ['setpriv', '--reuid', `${shownUser}`, '--regid', `${shownUser}`, '--clear-groups', '--']
const signal = new AbortController().signal

/** Only root can give files away. Commands then run as somebody who owns nothing, like those of a person do. */
it.runIf(isRoot)(
  'files of other users and groups can be changed in a view as outside, and stay as they are',
  async () => {
    await using world = openMountsWorld()
    const { root, mounts } = world
    const put = (path: string, user: number, group: number, mode = 0o644) => {
      writeFileSync(join(root, path), `${path}\n`)
      chmodSync(join(root, path), mode)
      chownSync(join(root, path), user, group)
      utimesSync(join(root, path), 1_600_000_000, 1_600_000_000)
    }
    mkdirSync(join(root, 'shared/deep'), { recursive: true })
    for (const folder of ['shared', 'shared/deep']) chownSync(join(root, folder), 1000, 2000)
    chmodSync(join(root, 'shared'), 0o2775)
    mkdirSync(join(root, 'own'))
    put('plain', 0, 0)
    put('shared/a', 1000, 2000)
    put('shared/deep/b', 0, 2000, 0o755)
    put('shared/gone', 1000, 1000)
    put('own/c', 999, 999, 0o600)
    symlinkSync('a', join(root, 'shared/link'))
    lchownSync(join(root, 'shared/link'), 1000, 2000)
    await world.onDisk('mkfifo pipe && chown 1000 pipe')
    const before = await world.fingerprint()
    {
      await using mount = await mounts.open({ owner: 'one', overlay: [] }, signal)
      const script =
        'cat own/c; stat -c %Y shared/a; for f in plain shared/a shared/deep/b own/c; do echo x >> $f; done; rm shared/gone; echo n > shared/new; mv shared/link shared/deep/moved; mkdir shared/deep/d'
      const [program = '', ...parameters] = mount.enter([...asCommand, 'bash', '-ec', script], true)
      expect(await world.run(program, parameters)).toBe('own/c\n1600000000\n')
      expect(mount.readOnlyFiles, 'the pipe').toBe(1)
      const { changes } = await mount.capture()
      expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(
        [
          'file /own/c',
          'file /plain',
          'file /shared/a',
          'directory /shared/deep/d',
          'file /shared/deep/b',
          'symlink /shared/deep/moved',
          'absent /shared/gone',
          'absent /shared/link',
          'file /shared/new',
        ].sort((a, b) => (a.split(' ')[1] ?? '').localeCompare(b.split(' ')[1] ?? '')),
      )
    }
    expect(await world.fingerprint()).toBe(before)
    expect(statSync(join(root, 'shared/a')).uid).toBe(1000)

    put('shared/a', 1000, 2000, 0o600)
    writeFileSync(join(root, 'shared/a'), 'by the person\n')
    await world.onDisk('rm -r shared/deep; chown 0:0 own/c')
    await using again = await mounts.open({ owner: 'two', overlay: [] }, signal)
    expect(await world.inMount(again, 'cat shared/a own/c; ls -A shared')).toBe('by the person\nown/c\na\ngone\nlink\n')
  },
)

/** A group of this user beside the main one. `npm test` makes one where it may. */
const [second] = isRoot ? [] : (process.getgroups?.() ?? []).filter((group) => group !== process.getgid?.())
if (!isRoot && second === undefined)
  console.warn('SKIPPED: a shared folder of a second group, since this user has one group alone')

// Mutation: without copies of files of another group, each of them says "Value too large for defined data type".
it.runIf(second !== undefined)(
  'a shared folder of a second group can be changed in a view as outside, by every kind of change',
  async () => {
    await using world = openMountsWorld()
    await world.onDisk(`mkdir -p shared/deep; echo 1 > shared/a; echo 1 > shared/deep/b; echo 1 > shared/gone; echo 1 > shared/x
      git init -q --template= shared/in; chgrp -R ${second} shared; chmod -R g+w shared; find shared -type d -exec chmod g+s {} +`)
    const before = await world.fingerprint()
    const script =
      'set -e; cd shared; for f in a deep/b; do echo 2 >> $f; done; rm gone; echo n > new; mkdir deep/d; echo n > deep/d/n; mv x deep/y; chmod +x a; cd in; echo f > f; git add f; git -c user.name=n -c user.email=e commit -qm one; git status --porcelain'
    await using mount = await world.mounts.open({ owner: 'one', overlay: [] }, signal)
    expect([mount.readOnlyFiles ?? 0, mount.closedFolders ?? 0]).toEqual([0, 0])
    expect(await world.inMount(mount, script)).toBe('')
    const { changes } = await mount.capture()
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      ...['file /shared/a', 'file /shared/deep/b', 'file /shared/deep/d/n', 'file /shared/deep/y'],
      ...['absent /shared/gone', 'file /shared/in/f', 'file /shared/new', 'absent /shared/x'],
    ])
    expect(await world.fingerprint()).toBe(before)
  },
)

/** Mutation: without `hideBelow` nothing in the folder can be listed. */
it.runIf(isRoot)(
  'a folder that another user closed is as root has it: listed, read and changed, with all that is in it',
  async () => {
    await using world = openMountsWorld()
    await world.onDisk(
      'mkdir -p closed/deep own; echo a > closed/a; echo b > closed/deep/b; echo r > closed/root; echo o > own/o',
    )
    await world.onDisk(
      'chown -R 1000:1000 closed; chown 0:0 closed/root; chmod 700 closed closed/deep own; chmod 600 closed/a',
    )
    await using mount = await world.mounts.open({ owner: 'one', overlay: [] }, signal)
    expect([mount.closedFolders, mount.readOnlyFiles]).toEqual([0, 0])
    const script =
      'cat closed/a own/o; find closed | sort; for f in closed/a closed/root own/o; do echo x >> $f; done; rm -r closed/deep; echo n > closed/new; echo n > own/new'
    const [program = '', ...parameters] = mount.enter([...asCommand, 'bash', '-ec', script], true)
    const tree = ['closed', 'closed/a', 'closed/deep', 'closed/deep/b', 'closed/root']
    expect(await world.run(program, parameters)).toBe(`a\no\n${tree.join('\n')}\n`)
    // What comes into the folder meanwhile is not removed, though the view does not show it.
    await world.onDisk('echo later > closed/later; chown 1000:1000 closed/later')
    const { changes } = await mount.capture()
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      ...['file /closed/a', 'absent /closed/deep', 'file /closed/new', 'file /closed/root'],
      ...['file /own/new', 'file /own/o'],
    ])
    await using next = await world.mounts.open({ owner: 'two', overlay: [] }, signal)
    expect(await world.inMount(next, 'cat closed/later')).toBe('later\n')
    await world.onDisk('mkfifo closed/pipe; chown 1000 closed/pipe')
    await using beside = await world.mounts.open({ owner: 'three', overlay: [] }, signal)
    expect([beside.closedFolders, beside.readOnlyFiles]).toEqual([2, 1])
  },
)

/** Mutation: with `join(rootFolder, path)` in place of what `openInside` opened, the secret is copied. */
it('nothing is copied through a link that its owner puts in the place of a file or folder after it was found', async () => {
  const above = mkdtempSync(join(tmpdir(), 'coppice-owners-'))
  const [root, made, secret] = [join(above, 'root'), join(above, 'made'), join(above, 'secret')]
  for (const folder of [root, join(root, 'deep'), secret]) mkdirSync(folder)
  claimOrMake(made, 'copies')
  for (const name of ['a', 'deep/b', 'kept']) writeFileSync(join(root, name), 'plain')
  symlinkSync('plain', join(root, 'deep/link'))
  writeFileSync(join(secret, 'b'), 'secret')
  symlinkSync('secret', join(secret, 'link'))
  const found = { isWritable: true, isClosed: false, mode: 0o644, size: 5, modified: '1600000000', stamp: '' }
  await using copies = createOwnedCopies(join(made, 'owned'), root, async () => {
    rmSync(join(root, 'a'))
    symlinkSync(join(secret, 'b'), join(root, 'a'))
    renameSync(join(root, 'deep'), join(above, 'moved'))
    symlinkSync(secret, join(root, 'deep'))
    const paths = ['a', 'deep/b', 'deep/link', 'kept']
    return new Map(paths.map((path) => [path, { ...found, kind: path.endsWith('link') ? 'l' : 'f' }]))
  })
  await copies.update(signal)
  const files = join(made, 'owned/files')
  expect(['a', 'deep/b', 'deep/link'].filter((path) => existsSync(join(files, path)))).toEqual([])
  expect(readFileSync(join(files, 'kept'), 'utf8')).toBe('plain')
  expect(copies.readOnly()).toBe(3)
  rmSync(above, { recursive: true })
})
