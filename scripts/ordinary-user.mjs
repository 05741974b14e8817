// When the tests run as root, runs those that may differ for anybody else a second time, as an account made for that.
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findBrowser } from './find-browser.mjs'
import { add, noTests, playwrightTests, root, vitestTests } from './steps.mjs'

const account = 'coppice-test'
/** Properties draw fewer inputs than in the first run. All other tests are the same. */
const again = { COPPICE_TESTS_AGAIN: '1' }
/** Everything that meets the system. What is left out takes and returns values, or meets it only through these. */
const folders = [
  'src/main/adapters',
  ...['apply', 'composition', 'storage', 'terminals', 'testing'].map((room) => `src/main/host/${room}`),
]
/**
 * Texts in memory, whoever compares and merges them, servers, a disk whose faults are made, hostile code that reaches no
 * file, and the inputs of commands. The damaged search index and its changes only take long; its searches run again.
 */
const pure = [
  ...['anthropic', 'demo', 'mcp', 'openai', 'pdf', 'registries', 'text'].map((room) => `src/main/adapters/${room}/**`),
  ...['faulty-apply', 'killed-apply'].map((name) => `src/main/adapters/disk/${name}.test.ts`),
  ...['index-changes', 'kept-index'].map((name) => `src/main/adapters/search/index/${name}.test.ts`),
  'src/main/adapters/runner/bombs.test.ts',
  'src/main/adapters/sqlite/faulty-disk.test.ts',
  'src/main/host/composition/router.test.ts',
].flatMap((files) => ['--exclude', files])
/** A run of `coppice` from the first message to the applied patch. */
const specs = ['run.spec.ts']

/** Returns no tests when the tests have an ordinary user already. One skipped test means that there is no account. */
export function ordinaryUserTests({ isBuilt }) {
  if (process.platform !== 'linux' || process.getuid() !== 0) return noTests
  const user = findUser()
  if (!user) {
    process.stdout.write('\nSKIPPED: the tests as an ordinary user, since useradd and setpriv cannot make one here\n')
    return { ...noTests, skipped: 1 }
  }
  const above = makeCheckout(user)
  try {
    const as = { root: join(above, 'checkout'), command: [...commandOf(user), `TMPDIR=${join(above, 'tmp')}`] }
    const unit = vitestTests(
      'Tests as an ordinary user',
      'user',
      ['unit', 'processes'],
      [...folders, ...pure],
      again,
      as,
    )
    const browser = isBuilt ? findBrowser() : undefined
    const driven = browser ? playwrightTests(browser, ['--project=web', ...specs], as) : noTests
    const counts = add(unit, driven)
    process.stdout.write(
      `\nalso as an ordinary user (${account}): ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
    )
    return counts
  } finally {
    rmSync(above, { recursive: true, force: true })
  }
}

function output(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

function findUser() {
  if (output('setpriv', ['--version']) === undefined) return undefined
  if (output('id', ['-u', account]) === undefined)
    output('useradd', ['--system', '--create-home', '--shell', '/bin/bash', account])
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
const own = ['.', 'out', 'node_modules', 'test-results', '../tmp']

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
