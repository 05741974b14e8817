// When the tests run as root, runs them as an account made for that, because root may do what a person may not.
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './steps.mjs'

const account = 'coppice-test'
/** A second group of the account, as people have who share a folder. */
const shared = 'coppice-test-shared'
/** What does something else for root: its sandbox and views, the folders it makes, files that it may always read. */
export const aboutRoot = {
  files: [
    'src/main/adapters/disk/bad-folders.test.ts',
    'src/main/adapters/mounts/kept-mounts.test.ts',
    'src/main/adapters/mounts/places/place-folders.test.ts',
    'src/main/adapters/mounts/layers/damaged-layers.test.ts',
    'src/main/adapters/mounts/owners/owned-copies.test.ts',
    'src/main/adapters/shell/readable-places.test.ts',
    'src/main/adapters/shell/processes/branch-network.test.ts',
    'src/main/adapters/system/made-folders.test.ts',
    'src/main/adapters/system/namespaces.test.ts',
    'src/main/host/testing/command-tools.test.ts',
    'src/main/host/testing/command-user.test.ts',
    'src/main/host/testing/lesser-sandboxes.test.ts',
  ],
  /** At night, with many hands at work, as root too. */
  nightly: ['integration/full-hands.test.ts'],
  /** A run of `coppice` from the first message to the applied patch. */
  specs: ['run.spec.ts'],
}

/**
 * The account and its checkout, if the tests run as root on Linux. Otherwise undefined: they have an ordinary user
 * already, or there is no way to make one, which it says.
 */
export function ordinaryUser() {
  if (process.platform !== 'linux' || process.getuid() !== 0) return undefined
  const user = findUser()
  if (!user) {
    process.stdout.write('\nThe tests run as root alone, since useradd and setpriv cannot make an account here\n')
    return undefined
  }
  const above = makeCheckout(user)
  process.on('exit', () => rmSync(above, { recursive: true, force: true }))
  return { root: join(above, 'checkout'), command: [...commandOf(user), `TMPDIR=${join(above, 'tmp')}`] }
}

function output(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

function findUser() {
  if (output('setpriv', ['--version']) === undefined) return undefined
  if (output('id', ['-u', account]) === undefined)
    output('useradd', ['--system', '--create-home', '--shell', '/bin/bash', account])
  if (!output('id', ['-nG', account])?.split(' ').includes(shared)) {
    output('groupadd', ['--system', '--force', shared])
    output('usermod', ['--append', '--groups', shared, account])
  }
  const [uid, gid] = ['-u', '-g'].map((option) => Number(output('id', [option, account])))
  return uid > 0 && gid > 0 ? { uid, gid } : undefined
}

/** What a fresh account has after a login. */
function commandOf({ uid, gid }) {
  const identity = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--', 'env', '-i']
  return [
    ...identity,
    `HOME=/home/${account}`,
    `USER=${account}`,
    `LOGNAME=${account}`,
    'SHELL=/bin/bash',
    'LANG=C.UTF-8',
  ]
}

const leftOut = new Set(['.git', 'test-results'])
/** Folders of the account's own. An empty `.git` is enough for the app to see that it is in a checkout. */
const own = ['.', '.git', 'out', 'node_modules', 'test-results', '../tmp']

/**
 * A checkout that the account can reach, whatever folder this one is in. It shares the files if it can, which takes a
 * second. Only its folders belong to the account, so no test can change a shared file.
 */
function makeCheckout({ uid, gid }) {
  const place =
    ['/var/tmp', '/tmp', dirname(root)].find((one) => statSync(one).dev === statSync(root).dev) ?? '/var/tmp'
  const above = mkdtempSync(join(place, 'coppice-checkout-'))
  const checkout = join(above, 'checkout')
  const isOpen = ['package.json', 'src', 'node_modules'].every((name) => (statSync(join(root, name)).mode & 0o4) !== 0)
  const shares = isOpen && statSync(place).dev === statSync(root).dev
  mkdirSync(checkout)
  const names = readdirSync(root).filter((name) => !leftOut.has(name))
  const sources = names.map((name) => join(root, name))
  const copied = spawnSync('cp', [
    shares ? '-al' : '-a',
    ...(shares ? [] : ['--reflink=auto']),
    '--',
    ...sources,
    checkout,
  ])
  if (copied.status !== 0) throw new Error(`The checkout could not be copied: ${copied.stderr}`)
  for (const cache of ['node_modules/.vite', 'node_modules/.vite-temp', 'out/test-children'])
    rmSync(join(checkout, cache), { recursive: true, force: true })
  for (const name of own) {
    mkdirSync(join(checkout, name), { recursive: true })
    chownSync(join(checkout, name), uid, gid)
  }
  chownSync(above, uid, gid)
  if (!isOpen) spawnSync('chown', ['-R', `${uid}:${gid}`, above])
  return above
}
